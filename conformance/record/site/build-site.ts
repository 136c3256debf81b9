// Builds the site as files. The same record and date give the same bytes.
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toSSG } from 'hono/ssg'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { exampleOfRow } from '../results/check-index.ts'
import { RECORD, bundleName, folderOf } from '../results/public-record.ts'
import { bundleAddress } from './addresses.ts'
import { createSite } from './app.ts'
import type { EngineEntry } from '../results/engine-entry.ts'
import type { Pair } from '../results/pair-entry.ts'
import { type Historic, type Published, type UntriedServer, arrange, newestDate } from './boards.ts'

/** Written into a built site, so that only such a folder is ever replaced. */
const OWN_FILE = 'results.json'

export interface SiteOptions {
  readonly date: string
  readonly pairs?: readonly Pair[]
  readonly engines?: readonly EngineEntry[]
  readonly untried?: readonly UntriedServer[]
  readonly historic?: readonly Historic[]
}

/** Builds the site of these entries in `folder`, and returns the paths of its files. Throws if the folder has other files. */
export async function buildSite(
  published: readonly Published[],
  folder: string,
  { date, pairs, engines, untried, historic }: SiteOptions,
) {
  const isOther = existsSync(folder) && readdirSync(folder).length > 0 && !existsSync(`${folder}/${OWN_FILE}`)
  if (isOther)
    throw new UsageError(`${folder} has files that are not of a site; remove it or give another folder`)
  rmSync(folder, { recursive: true, force: true })
  const app = createSite(arrange(published, date, pairs, untried, historic), exampleOfRow, engines)
  const { success, files, error } = await toSSG(app, { writeFile, mkdir }, { dir: folder })
  if (!success) throw error ?? new Error('the site was not built')
  const bundled = published.filter(({ entry }) => entry.bundle !== undefined)
  const bundles = bundled.map(({ entry }) => {
    const to = join(folder, bundleAddress({ entry }))
    cpSync(join(RECORD, folderOf(entry), bundleName(entry)), to)
    return to
  })
  return [...files, ...bundles]
}

/** The day of a build: `SOURCE_DATE_EPOCH` in seconds, or the day of the newest entry or pair. */
export function buildDate(
  published: readonly Published[],
  epoch: string | undefined,
  pairs: readonly Pair[] = [],
): string {
  if (epoch !== undefined) {
    if (!/^\d{1,11}$/.test(epoch))
      throw new UsageError(`SOURCE_DATE_EPOCH must be a number of seconds; received "${epoch}"`)
    return new Date(Number(epoch) * 1000).toISOString().slice(0, 10)
  }
  return newestDate(published, pairs)
}
