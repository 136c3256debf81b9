// Every case and observer there is, in the order of the sections.
import * as authentication from '../cases/authentication/authentication.ts'
import * as chat from '../cases/chat/chat.ts'
import * as errors from '../cases/errors/errors.ts'
import * as invalidBodies from '../cases/invalid-bodies/invalid-bodies.ts'
import * as keyRotation from '../cases/keys/rotation.ts'
import * as keys from '../cases/keys/keys.ts'
import * as keysInBrowsers from '../cases/keys/browsers.ts'
import * as limitsUnderLoad from '../cases/limits/under-load.ts'
import * as limits from '../cases/limits/limits.ts'
import * as modelRecords from '../cases/models/records.ts'
import * as models from '../cases/models/models.ts'
import * as sdkHelpers from '../cases/sdk/helpers.ts'
import * as sdk from '../cases/sdk/sdk.ts'
import * as streaming from '../cases/streaming/streaming.ts'
import * as tools from '../cases/tools/tools.ts'
import * as versioning from '../cases/versioning/versioning.ts'
import * as wireForms from '../cases/wire/forms.ts'
import * as wireHeaders from '../cases/wire/headers.ts'
import * as wire from '../cases/wire/wire.ts'
import { type Catalogue, collect } from './catalogue.ts'

/** All there is. Throws as `collect` does. */
export function fullCatalogue(): Catalogue {
  return collect([
    authentication,
    keys,
    keyRotation,
    keysInBrowsers,
    models,
    chat,
    invalidBodies,
    errors,
    limits,
    limitsUnderLoad,
    versioning,
    wire,
    wireForms,
    modelRecords,
    wireHeaders,
    streaming,
    tools,
    sdk,
    sdkHelpers,
  ])
}
