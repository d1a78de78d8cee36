"""cloudnee: a graph memory whose record is Markdown pages.

Importing this opens nothing and loads no model.
"""

from __future__ import annotations

from cloudnee.errors import CloudneeError
from cloudnee.memory import Memory
from cloudnee.model import Alias, NewPage

__version__ = "0.1.0"
__all__ = ["Alias", "CloudneeError", "Memory", "NewPage", "__version__"]
