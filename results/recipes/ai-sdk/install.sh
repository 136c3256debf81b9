#!/bin/sh
# Installs what the program in fixtures/clients/ai-sdk needs.
exec "$ROOT/fixtures/clients/install.sh" node
