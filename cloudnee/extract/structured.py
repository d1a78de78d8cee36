"""An answer in a given form from a model, or `ExtractionFailed`: never something in between."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from cloudnee.errors import BadInput, ExtractionFailed
from cloudnee.extract.calls import Endpoint, Meter

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["MODES", "answered"]

MODES = ("json_schema", "json", "tools")  # how the form is asked for; endpoints differ

Form = TypeVar("Form", bound="BaseModel")


def answered(
    form: type[Form], endpoint: Endpoint, meter: Meter, messages: Sequence[dict[str, str]]
) -> Form:
    """The model's answer as a `form`. One that is out of form is shown its error once."""
    instructor = _instructor()
    from instructor.core.exceptions import IncompleteOutputException, InstructorRetryException

    def complete(**request: Any) -> Any:
        return endpoint.complete(meter, **request)

    settings = endpoint.settings
    create = instructor.patch(create=complete, mode=instructor.Mode[settings.mode.upper()])
    bounds = {"max_tokens": settings.reply_tokens, "temperature": settings.temperature}
    given = {name: value for name, value in bounds.items() if value is not None}
    try:
        answer = create(response_model=form, messages=list(messages), max_retries=1, **given)
    except IncompleteOutputException as error:
        raise _failed(settings.model, "the answer was cut off at its longest length") from error
    except InstructorRetryException as error:
        if isinstance(error.__cause__, ExtractionFailed):
            raise error.__cause__ from None
        raise _failed(settings.model, f"the answer is out of form: {_reason(error)}") from error
    return cast(Form, answer)


def _failed(model: str, reason: str) -> ExtractionFailed:
    return ExtractionFailed(f"{model}: {reason}")


def _instructor() -> Any:
    try:
        import instructor
        import openai  # noqa: F401
    except ImportError as error:
        raise BadInput(
            'a language model needs two more libraries: run pip install "cloudnee[llm]"'
        ) from error
    # It logs each fault as an error; ours is told once, by the report.
    logging.getLogger("instructor").addHandler(logging.NullHandler())
    return instructor


def _reason(error: Exception) -> str:
    from pydantic import ValidationError

    cause = error.__cause__ or error
    if isinstance(cause, ValidationError):
        first = cause.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        return f"{place}: {first['msg']}" if place else first["msg"]
    line = " ".join(str(cause).split())
    return line if len(line) <= 300 else line[:299] + "…"
