#!/bin/sh
# Installs what the program in fixtures/clients/langchain-js needs.
exec "$ROOT/fixtures/clients/install.sh" node
