// Judges JSON values in tests, by the schemas of an OpenAPI document, with ajv and without zod.
import { Ajv2020 } from 'ajv/dist/2020.js'

/** Reports whether the component `name` of `document` accepts a JSON value. */
export function documentValidator(
  document: { readonly components?: unknown },
  name: string,
): (value: unknown) => boolean {
  const ajv = new Ajv2020({
    strict: true,
    // A rule between members speaks of members that are described elsewhere.
    strictTypes: false,
    strictRequired: false,
    strictTuples: false,
    // A format is a hint for people; no value is checked for it.
    validateFormats: false,
  })
  ajv.addVocabulary(['components', 'discriminator'])
  const validate = ajv.compile({ $ref: `#/components/schemas/${name}`, components: document.components })
  return (value) => validate(value)
}
