"""The MCP door, asked by the SDK's own client."""
