"""Print the OpenAPI document that the UI's types are made of: what operators call, as it is in this checkout.

No server and no database are needed. Errors are left out (all have one shape, which api/client.ts knows), as is what
only nodes call: neither would be used.
"""

import sys
from typing import Any, cast

import msgspec

from corral.api.app import App
from corral.api.document import complete
from corral.config import ServerConfig


def main() -> None:
    app = App(cast("Any", None), ServerConfig(ephemeral=True))  # nothing is asked of the engine
    document = complete(app.litestar.openapi_schema.to_schema())
    paths = {
        path: kept
        for path, operations in document["paths"].items()
        if (kept := {method: _trim(each) for method, each in operations.items() if _is_for_browsers(each)})
    }
    sys.stdout.buffer.write(msgspec.json.encode({**document, "paths": paths}))


def _is_for_browsers(operation: dict[str, Any]) -> bool:
    return {"node": []} not in operation["security"] or len(operation["security"]) > 1


def _trim(operation: dict[str, Any]) -> dict[str, Any]:
    responses = {status: told for status, told in operation["responses"].items() if status < "4"}
    parameters = [each for each in operation.get("parameters", []) if each["in"] in {"path", "query"}]
    return {**operation, "parameters": parameters, "responses": responses}


if __name__ == "__main__":
    main()
