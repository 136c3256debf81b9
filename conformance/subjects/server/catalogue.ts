// The table of contents: the sections of the specification in its order, each with the cases that judge it.
import * as agents from './cases/agents/agents.ts'
import * as authentication from './cases/authentication/authentication.ts'
import * as chat from './cases/chat/chat.ts'
import * as context from './cases/context/context.ts'
import * as combinations from './cases/combinations/combinations.ts'
import * as edges from './cases/edges/edges.ts'
import * as randomBodies from './cases/edges/random-bodies.ts'
import * as errors from './cases/errors/errors.ts'
import * as keysInBrowsers from './cases/keys/browsers.ts'
import * as keys from './cases/keys/keys.ts'
import * as keyRotation from './cases/keys/key-rotation.ts'
import * as limits from './cases/limits/limits.ts'
import * as limitsUnderLoad from './cases/limits/under-load.ts'
import * as models from './cases/models/models.ts'
import * as modelRecords from './cases/models/model-records.ts'
import * as parse from './cases/parse/parse.ts'
import * as sdkHelpers from './cases/sdk/helpers.ts'
import * as sdk from './cases/sdk/sdk.ts'
import * as stored from './cases/stored/stored.ts'
import * as streaming from './cases/streaming/streaming.ts'
import * as tools from './cases/tools/tools.ts'
import * as values from './cases/values/values.ts'
import * as versioning from './cases/versioning/versioning.ts'
import * as wire from './cases/wire/wire.ts'
import { type CaseFile, type Catalogue, collect } from './selection.ts'

/** Checks of clients (retries, requests, reading) are not cases of a server. */
const sections: Readonly<Record<string, readonly CaseFile[]>> = {
  Authentication: [authentication],
  Keys: [keys, keyRotation, keysInBrowsers],
  Models: [models],
  Chat: [chat, randomBodies, edges],
  Errors: [errors],
  Limits: [limits, limitsUnderLoad],
  Versioning: [versioning],
  'Wire format': [wire, modelRecords, stored, context, agents],
  Streaming: [streaming],
  'Tool calls': [tools],
  'Hard values': [values],
  Combinations: [combinations],
  Engines: [parse],
  'Client libraries': [sdk, sdkHelpers],
}

/** All checks of servers. Throws as `collect` does. */
export function fullCatalogue(): Catalogue {
  return collect(Object.values(sections).flat())
}
