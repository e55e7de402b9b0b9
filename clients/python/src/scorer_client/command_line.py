"""Parts of the command line `scorer-client`, for other command lines that speak to the same servers."""

from scorer_client._cli.exit_status import UsageError
from scorer_client._cli.options import Connection, connected, connection_options, json_option
from scorer_client._cli.terminal import printable, table

__all__ = ["Connection", "UsageError", "connected", "connection_options", "json_option", "printable", "table"]
