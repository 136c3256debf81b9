// Compares the target that the report of a bundle names with the other places of the bundle that name it: the manifest, the
// recorded requests, and the run that was judged again.
import type { Report } from '../contract/report.ts'
import type { Bundle } from './bundle-file.ts'

/** The first difference, as a part of a line; undefined if all places name one target. */
export function otherTarget({ report, manifest, lines }: Bundle, now: Report): string | undefined {
  const { baseUrl, model, profile } = report.target
  const { baseUrl: given, model: givenModel } = manifest.settings
  const addresses = lines.flatMap((line) => {
    if (line.kind === 'client') return [line.baseUrl]
    return 'request' in line && line.request !== undefined ? [line.request.url] : []
  })
  const address = [...(typeof given === 'string' ? [given] : []), ...addresses].find(
    (other) => originOf(other) !== originOf(baseUrl),
  )
  if (address !== undefined) return `the report names ${baseUrl}, and the run was with ${originOf(address)}`
  const models = [...(typeof givenModel === 'string' ? [givenModel] : []), now.target.model]
  const other = models.find((name) => name !== model)
  if (other !== undefined) return `the report names the model ${model}, and the run was with ${other}`
  return profile === now.target.profile
    ? undefined
    : `the report names the profile ${profile}, and the run was with ${now.target.profile}`
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url)
