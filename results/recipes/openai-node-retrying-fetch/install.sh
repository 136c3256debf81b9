#!/bin/sh
# Installs what the program in fixtures/clients/openai-node-retrying-fetch needs.
exec "$ROOT/fixtures/clients/install.sh" node
