// The files that are broken: the smallest bundle, entry and pair of each kind in the public record of this project.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { bounds } from '../../../../harness/bounds/bounds.ts'
import { CATALOGUE_VERSION } from '../../../../spec/catalogue/requirements.ts'
import { readBundle, writeBundle } from '../../../bundle/bundle-file.ts'
import { readZip } from '../../../exchanges/zip.ts'

/** The record is above this folder in the order of imports: only its files are read. */
const RECORD = join(import.meta.dirname, '../../../../results')
const RECIPES = join(RECORD, 'recipes')

/** A bundle with its entry in the record. */
export interface GoodResult {
  /** The folder of the entry in the record. */
  readonly folder: string
  readonly name: string
  readonly entry: Buffer
  readonly causes: Buffer
  readonly bundle: Buffer
  readonly parts: Parts
  /** The bundle as this version writes it. */
  readonly rewritten: { readonly bundle: Buffer; readonly parts: Parts }
}

type Parts = readonly { readonly name: string; readonly content: Buffer }[]

export type GoodFiles = ReturnType<typeof readGoodFiles>

export function readGoodFiles() {
  const recipe = readdirSync(RECIPES).find((name) => existsSync(join(RECIPES, name, 'recipe.json'))) ?? ''
  const pairs = join(CATALOGUE_VERSION, 'pair')
  const [pair = ''] = readdirSync(join(RECORD, pairs))
  return {
    results: ['server', 'client', 'gateway'].map(smallestOf) as [GoodResult, GoodResult, GoodResult],
    pair: { path: join(pairs, pair), bytes: readFileSync(join(RECORD, pairs, pair)) },
    recipe: { name: recipe, bytes: readFileSync(join(RECIPES, recipe, 'recipe.json')) },
  }
}

function smallestOf(kind: string): GoodResult {
  const files = readdirSync(join(RECORD, CATALOGUE_VERSION, kind), { recursive: true, encoding: 'utf8' })
  const [smallest = ''] = files
    .filter((file) => file.endsWith('.zip'))
    .map((file) => join(CATALOGUE_VERSION, kind, file))
    .toSorted((one, other) => statSync(join(RECORD, one)).size - statSync(join(RECORD, other)).size)
  const own = (file: string): Buffer => readFileSync(join(RECORD, file))
  const bundle = own(smallest)
  const folder = join(smallest, '..')
  return {
    folder,
    name: smallest.slice(folder.length + 1, -'.zip'.length),
    entry: own(smallest.replace(/zip$/, 'json')),
    causes: own(join(folder, 'causes.json')),
    bundle,
    parts: partsOf(bundle),
    rewritten: rewritten(bundle),
  }
}

function partsOf(bundle: Buffer): Parts {
  const files = readZip(bundle, bounds().bundleBytes).values()
  return Array.from(files, ({ name, content }) => ({ name, content: Buffer.from(content) }))
}

function rewritten(older: Buffer): GoodResult['rewritten'] {
  const { manifest, report, lines } = readBundle(older)
  const { subject, startedAt, settings, credentials } = manifest
  const about = { subject, startedAt, settings, credentials, report }
  const bundle = writeBundle({ ...about, lines: lines.map((line) => JSON.stringify(line)) })
  return { bundle, parts: partsOf(bundle) }
}
