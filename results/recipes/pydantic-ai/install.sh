#!/bin/sh
# Installs what the program in fixtures/clients/pydantic-ai needs.
exec "$ROOT/fixtures/clients/install.sh" pydantic-ai
