#!/bin/sh
# Installs what the program in fixtures/clients/openai-java needs.
exec "$ROOT/fixtures/clients/install.sh" openai-java
