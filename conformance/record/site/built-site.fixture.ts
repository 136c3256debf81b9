// A built site for tests: a map of its files, and the links between them.
import { readFileSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { temporaryFolder } from '../../../harness/temporary-folder.fixture.ts'
import { type SiteOptions, buildDate, buildSite } from './build-site.ts'
import type { Published } from './boards.ts'

export type Files = ReadonlyMap<string, string>

export async function built(
  published: readonly Published[],
  { pairs = [], date = buildDate(published, undefined, pairs), ...options }: Partial<SiteOptions> = {},
) {
  const folder = join(temporaryFolder(), 'site')
  await buildSite(published, folder, { date, pairs, ...options })
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
      .map((file) => [relative(folder, file), readFileSync(file, 'utf8')]),
  )
}

/** The content of a page by its address, for example `server/alpha/`. Throws if it does not exist. */
export function pageOf(files: Files, address: string): string {
  const page = files.get(`${address}index.html`)
  if (page === undefined) throw new Error(`there is no page ${address}`)
  return page
}

/** Every link that does not name a file, or that leads to no file or to no element of its page, each `page: link`. */
export function brokenLinks(files: Files): readonly string[] {
  const ids = new Map(
    [...files].map(([file, text]) => [
      file,
      new Set([...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)),
    ]),
  )
  return [...files]
    .filter(([file]) => file.endsWith('.html'))
    .flatMap(([file, text]) => {
      const base = /<base href="([^"]*)">/.exec(text)?.[1] ?? ''
      const root = new URL(base, `http://site/${file}`)
      const links = [...text.matchAll(/ (?:href|src|action|data-pair)="([^"]*)"/g)].map(
        ([, link = '']) => link,
      )
      return links
        .filter(
          (link) =>
            link !== base && !/^https?:/.test(link) && !isKnown(new URL(link.replaceAll('&amp;', '&'), root)),
        )
        .map((link) => `${file}: ${link}`)
    })

  function isKnown({ protocol, host, pathname, hash }: URL): boolean {
    if (protocol !== 'http:' || host !== 'site') return false
    const path = decodeURIComponent(pathname.slice(1))
    // The beginning of the addresses that the script makes.
    if (/^compare\/\d+\/[a-z-]+\/$/.test(path)) return true
    return files.has(path) && (hash === '' || ids.get(path)?.has(decodeURIComponent(hash.slice(1))) === true)
  }
}
