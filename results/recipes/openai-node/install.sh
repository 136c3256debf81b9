#!/bin/sh
# Installs what the program in fixtures/clients/openai-node needs.
exec "$ROOT/fixtures/clients/install.sh" node
