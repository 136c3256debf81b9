// The site as files: what its pages say, that every link leads somewhere, and that two builds are equal.
import * as fc from 'fast-check'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { memoize } from '../../../harness/memoize.ts'
import { temporaryFolder } from '../../../harness/temporary-folder.fixture.ts'
import { CATALOGUE_VERSION, requirements } from '../../../spec/catalogue/requirements.ts'
import { type Entry, entrySchema, implementationSchema } from '../results/result-entry.ts'
import { USE_IDS, readPairs } from '../results/pair-entry.ts'
import { RECORD, entryKey, readRecord } from '../results/public-record.ts'
import { CHECKS, exampleOfRow } from '../results/check-index.ts'
import { buildDate, buildSite } from './build-site.ts'
import { type Files, brokenLinks, built, pageOf } from './built-site.fixture.ts'
import { commonCauses } from './pages/overview.ts'
import { renderSubject } from './pages/implementation-page.ts'
import { anyRecord, madeEntry, madePairs, madeRecord } from './boards.fixture.ts'
import { type Published, arrange, outcomeOf, publishedIn } from './boards.ts'

/** The most bytes of the front page with its style and script. */
const FRONT_BYTES = 100_000

/** No check of these requirements sends a request of its own to the reference server, or its streams are never that long. */
const WITHOUT_EXAMPLE = [
  'KEY-11',
  'WIRE-29',
  'WIRE-30',
  'STREAM-14',
  ...Array.from({ length: 10 }, (_, index) => `PARSE-${index + 1}`),
]

const results = publishedIn(readRecord())

let files: Files
beforeAll(async () => {
  files = await built(madeRecord, { pairs: madePairs })
})
const published = memoize(() => built(results, { pairs: readPairs(RECORD, CATALOGUE_VERSION) }))

test('the made entries are entries', () => {
  for (const { entry, about } of madeRecord) {
    entrySchema.parse(entry)
    // The addresses of the hostile one are what a schema must refuse too.
    if (entry.name !== 'hostile') implementationSchema.parse(about)
  }
})

test('every internal link and anchor leads to a page', () => {
  expect(brokenLinks(files)).toEqual([])
  const [front = ''] = [pageOf(files, '')]
  const changed = new Map(files).set('index.html', front.replace('server/alpha/index.html', 'server/alpha/'))
  expect(brokenLinks(changed)).toEqual(['index.html: server/alpha/'])
})

test('every requirement has a page, and every judged one with a check an example', () => {
  const rows = new Set([...CHECKS.values()].map(({ requirement }) => requirement))
  expect(
    requirements.filter(({ id }) => rows.has(id) && exampleOfRow(id) === undefined).map(({ id }) => id),
  ).toEqual(WITHOUT_EXAMPLE)
  for (const { id } of requirements)
    expect(pageOf(files, `requirements/${id}/`)).toContain(`<h1><span class="id">${id}</span>`)
})

test('two builds are byte-identical, and the date of the build is only the given one', async () => {
  expect(await built(madeRecord, { pairs: madePairs })).toEqual(files)
  expect(buildDate(madeRecord, undefined)).toBe('2026-11-20')
  expect(buildDate(madeRecord, '1893456000')).toBe('2030-01-01')
  expect(() => buildDate(madeRecord, 'now')).toThrow('SOURCE_DATE_EPOCH')
  const later = await built(madeRecord, { date: '2030-01-01' })
  expect(pageOf(later, 'client/library-two/')).toContain('judged more than a year before 2030-01-01')
})

test('no build replaces a folder that is not of a site', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'thesis.txt'), '')
  await expect(buildSite(madeRecord, folder, { date: '2026-11-20' })).rejects.toThrow(
    'files that are not of a site',
  )
})

test('every pass-to-fail change is on the page of its implementation, with both versions', () => {
  fc.assert(
    fc.property(anyRecord, (published) => {
      const record = arrange(published, '2026-11-20')
      const pages = new Map(record.subjects.map((subject) => [subject.name, String(renderSubject(subject))]))
      for (const { before, after } of neighbours(published)) {
        const lines = (pages.get(after.name) ?? '')
          .split('<li data-change="')
          .map((line) => line.split('</li>')[0] ?? '')
        for (const check of Object.keys(after.checks)) {
          if (before.checks[check] === after.checks[check]) continue
          const own = lines.filter(
            (line) =>
              line.startsWith(`${check}"`) && line.includes(before.version) && line.includes(after.version),
          )
          expect(own).toHaveLength(1)
          if (before.checks[check] === 'pass' && after.checks[check] === 'fail')
            expect(own[0]).toMatch(new RegExp(`${before.version}: passed.*${after.version}: failed`))
        }
      }
    }),
    { numRuns: 20 },
  )
})

/** The entries of each server, each with the next; arbitrary records are in the order of their releases. */
function neighbours(
  published: readonly Published[],
): readonly { readonly before: Entry; readonly after: Entry }[] {
  const servers = Map.groupBy(published, ({ entry }) => entry.name)
  return [...servers.values()].flatMap((own) =>
    own
      .slice(1)
      .flatMap(({ entry: after }, at) => (own[at] === undefined ? [] : [{ before: own[at].entry, after }])),
  )
}

test('entries of another profile are never compared', async () => {
  const failing = { outcomes: { 'chat.valid-request': 'fail' } } as const
  const apart = [
    madeEntry({ name: 'one', version: '1.0.0', ...failing }),
    madeEntry({ name: 'one', version: '1.1.0', profile: 'service' }),
    madeEntry({ name: 'two' }),
  ]
  const site = await built(apart)
  expect(pageOf(site, 'server/one/')).not.toContain('data-change')
  expect([...site.keys()].filter((file) => file.startsWith('compare/'))).toEqual([
    'compare/2/server-wire/one/two/index.html',
    'compare/index.html',
  ])
})

test('the versions that an earlier catalogue judged are on the page of their implementation', async () => {
  const judged = { profile: 'wire', date: '2026-01-02', catalogue: '1' } as const
  const earlier = [
    { ...judged, version: '0.9.0', outcomes: { pass: 'WIRE-1 WIRE-2', fail: 'STREAM-1' } },
    { ...judged, version: '0.8.0', outcomes: { fail: 'WIRE-1' } },
  ]
  const about = { title: 'Gone', description: 'A server.', causes: {}, failed: {}, earlier }
  const site = await built([madeEntry({ name: 'one', about: { earlier } })], {
    historic: [{ kind: 'server', name: 'gone', about }],
  })
  for (const name of ['one', 'gone']) {
    const [, section = ''] = pageOf(site, `server/${name}/`).split('<section id="earlier"')
    const outcomes = (row: string) => {
      const [cells = ''] = section.split(`requirements/${row}/`)[1]?.split('</tr>') ?? []
      return [...cells.matchAll(/<td class="([^"]*)"/g)].map(([, outcome]) => outcome)
    }
    expect([outcomes('WIRE-1'), outcomes('WIRE-2'), outcomes('STREAM-1')]).toEqual([
      ['pass', 'fail'],
      ['pass', 'inconclusive'],
      ['fail', 'inconclusive'],
    ])
    expect(section).toContain('0.9.0')
    expect(section).toContain('2026-01-02')
  }
  expect(brokenLinks(site)).toEqual([])
  expect(pageOf(site, 'search/')).toContain('server/gone/')
})

test('a row that was not judged never looks like a pass', () => {
  const page = pageOf(files, 'matrix/2/server-wire/')
  const row = page.split('<tr data-row>').find((part) => part.includes('requirements/SDK-2/')) ?? ''
  expect(row).toMatch(/<td class="inconclusive">.*not judged/)
  expect(pageOf(files, 'server/alpha/2/2.0.0-wire/')).toMatch(/<details class="row inconclusive" id="SDK-2">/)
  expect(pageOf(files, '')).not.toMatch(/\d\s*%/)
})

test('the rows of each tier that hold are counted from the rows of an entry', () => {
  const counts = /Interop (\d+) of (\d+) · Strict (\d+) of (\d+)/
  const [, ...ofEntry] = counts.exec(pageOf(files, 'server/alpha/2/2.0.0-wire/')) ?? []
  expect(ofEntry).toHaveLength(4)
  expect(pageOf(files, 'server/alpha/')).toMatch(counts)
  const front = pageOf(files, '')
  expect(front).toMatch(/<th scope="col">Interop<\/th><th scope="col">Strict<\/th>/)
  const [hold, judged, holdStrict, judgedStrict] = ofEntry
  const row = front.split('<tr>').find((part) => part.includes('server/alpha/')) ?? ''
  const shown = [...row.matchAll(/>(\d+ of \d+)</g)].map(([, counts]) => counts)
  expect(shown).toEqual([`${hold} of ${judged}`, `${holdStrict} of ${judgedStrict}`])
  expect(pageOf(files, 'client/library-two/')).not.toMatch(counts)
})

test('the front page begins with what is judged, the common causes and the pairs', () => {
  const [overview = ''] = pageOf(files, '').split('<dl class="legend">')
  const text = overview.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ')
  const kinds = Map.groupBy(
    new Set(madeRecord.map(({ entry }) => `${entry.kind} ${entry.name}`)),
    (name) => name.split(' ')[0],
  )
  expect(text).toContain(
    `${kinds.get('server')?.length} servers 1 gateway ${kinds.get('client')?.length} client libraries`,
  )
  expect(text).toContain(`${CHECKS.size} checks of`)
  expect(text).toContain('newest result 2026-11-20')
  expect(text).toContain('Alpha 1 client: 17 of 18 uses work')
  expect(overview).toContain('<b><a href="server/alpha/index.html">Alpha</a></b>')
})

test('a cause is common if several implementations of one kind have it by that name', () => {
  const cause = { cause: 'Ignores `n`.', classification: 'defect', expected: '2', received: '1' } as const
  const failing = (name: string, sentence: string, kind: Entry['kind'] = 'server') =>
    madeEntry({
      name,
      kind,
      outcomes: { [kind === 'server' ? 'wire.created' : FIRST_OF_GATEWAYS]: 'fail' },
      about: {
        causes: { 'ignores-n': { ...cause, cause: sentence } },
        failed: {
          [`1.0.0-${kind === 'server' ? 'wire' : kind}`]: {
            [kind === 'server' ? 'wire.created' : FIRST_OF_GATEWAYS]: 'ignores-n',
          },
        },
      },
    })
  const { boards } = arrange(
    [
      failing('one', 'Ignores `n` always.'),
      failing('two', 'Ignores `n`.'),
      madeEntry({ name: 'three' }),
      failing('between', 'Ignores `n`.', 'gateway'),
    ],
    '2026-11-20',
  )
  expect(commonCauses(boards)).toEqual([
    { kind: 'server', implementations: 2, all: 3, text: 'Ignores `n` always.', checks: 2, rows: ['WIRE-1'] },
  ])
})
const FIRST_OF_GATEWAYS =
  [...CHECKS.values()].find(({ requirement }) => requirement.startsWith('GATE-'))?.id ?? ''

test('a pair has a page with each use, and both sides lead to it', () => {
  const page = pageOf(files, 'pairs/2/library/alpha/')
  for (const id of USE_IDS) expect(page).toContain(`id="${id}"`)
  expect(page).toMatch(/<details class="row fail" id="call" open>\s*<summary>.*fails.*fault of the client/)
  expect(page).toMatch(/<details class="row warn" id="stream" open>\s*<summary>.*fault of the server/)
  expect(page).toContain('href="requirements/WIRE-1/index.html"')
  expect(page).toContain('https://example.com/images')
  expect(page).toContain('only the client is judged')
  for (const address of ['pairs/', 'client/library/', 'server/alpha/'])
    expect(pageOf(files, address)).toMatch(/href="pairs\/2\/library\/alpha\/index.html">.*17 of 18 uses/s)
  // The server of this one has no entry, so no page.
  expect(pageOf(files, 'pairs/')).toContain('pairs/2/library-two/good-server/')
  expect(pageOf(files, 'pairs/')).not.toContain('href="server/good-server/"')
})

test('a server that no client was tried with has its reason, and one with a pair has none', async () => {
  const untried = [
    { name: 'good-server-two', title: 'Good server two', version: '1.0.0', reason: 'It needs a *cluster*.' },
    { name: 'alpha', title: 'Alpha', version: '2.0.0', reason: 'It is too slow.' },
  ]
  const [, list = ''] = pageOf(await built(madeRecord, { pairs: madePairs, untried }), 'pairs/').split(
    'id="untried"',
  )
  expect(list).toMatch(/Good server two.*It needs a/)
  expect(list).not.toContain('It is too slow.')
  expect(pageOf(files, 'pairs/')).not.toContain('id="untried"')
})

test('a row without a check in an entry was not judged', () => {
  const { boards } = arrange(
    [madeEntry({ name: 'one', entry: { checks: { 'chat.valid-request': 'pass' } } })],
    '2026-11-20',
  )
  const outcomes = boards.flatMap(({ rows, all }) =>
    all.flatMap((judged) => rows.map(({ id }) => outcomeOf(judged, id))),
  )
  expect(outcomes.filter((outcome) => outcome === 'pass')).toHaveLength(1)
  expect(new Set(outcomes)).toEqual(new Set(['pass', 'inconclusive']))
})

test('text of an entry stays text, and its addresses lead to web pages only', () => {
  const shown = [...files].filter(([, text]) => text.includes('document.title'))
  expect(shown.length).toBeGreaterThan(5)
  for (const [file, text] of files) {
    if (/\.(js|json)$/.test(file)) continue
    expect([
      file,
      text.match(/<img src=http|<script>document|onerror=alert\(1\)>|href="javascript:|"onmouseover="/i),
    ]).toEqual([file, null])
  }
  expect(pageOf(files, 'server/hostile/')).toContain('&lt;/td&gt;&lt;/script&gt;&lt;script&gt;')
})

test('the page of an implementation begins with the causes of its failures', () => {
  const text = pageOf(files, 'server/alpha/')
  const places = ['Alpha ignores', 'Judged versions', 'Works with', 'History'].map((part) =>
    text.indexOf(part),
  )
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(places[0]).toBeGreaterThan(0)
})

test('a badge and the data say what an entry says', () => {
  const badge = (version: string): string | undefined =>
    files.get(`badges/2/server/alpha/${version}-wire.svg`)
  expect(badge('2.0.0')).toContain('✗ 1 requirement does not hold, 1 not judged')
  expect(badge('1.0.0')).toContain('✓ every MUST holds, stale')
  const { entries, pairs } = data.parse(JSON.parse(files.get('results.json') ?? ''))
  expect(entries.map(({ address }) => pageOf(files, address)).length).toBe(madeRecord.length)
  expect(pairs.map(({ address }) => pageOf(files, address)).length).toBe(madePairs.length)
  expect(pairs[0]?.uses['stream']).toEqual({
    verdict: 'works-with-a-defect',
    side: 'server',
    requirement: 'WIRE-1',
  })
  expect(pairs[0]?.uses['plain']).toEqual({ verdict: 'works' })
})

test('the search has each pair, and the uses that a side is at fault for', () => {
  const row = pageOf(files, 'search/')
    .split('<li data-row>')
    .find((part) => part.includes('pairs/2/library/alpha/'))
  expect(row).toContain('17 of 18 uses work')
  expect(row).toContain('a streamed answer: ')
  expect(row).not.toContain('a long text: ')
})

/** The size of the front page with its style and script, in bytes. */
const weight = (site: Files): number =>
  ['index.html', 'style.css', 'site.js', 'icon.svg'].reduce(
    (sum, file) => sum + Buffer.byteLength(site.get(file) ?? ''),
    0,
  )

test('the front page is light, and there is one without entries', async () => {
  expect(weight(files)).toBeLessThan(FRONT_BYTES)
  const empty = await built([])
  expect(pageOf(empty, '')).toContain('There are no results yet')
  expect(brokenLinks(empty)).toEqual([])
})

describe('the published results', { tags: 'slow' }, () => {
  test('have a light front page', async () => {
    expect(weight(await published())).toBeLessThan(FRONT_BYTES)
  })

  test('have links that lead to pages, and a page for each entry', async () => {
    expect(brokenLinks(await published())).toEqual([])
    for (const { entry } of results)
      expect(
        pageOf(await published(), `${entry.kind}/${entry.name}/${entry.catalogue}/${entryKey(entry)}/`),
      ).toContain(entry.report)
  })
})

test('the example workflow builds and publishes the folder of the site', () => {
  const read = (file: string): string =>
    readFileSync(join(import.meta.dirname, '..', '..', '..', file), 'utf8')
  const { jobs } = workflow.parse(parse(read('docs/pages.example.yml')))
  const scripts = z.object({ scripts: z.record(z.string()) }).parse(JSON.parse(read('package.json'))).scripts
  for (const { run = '' } of jobs.publish.steps)
    for (const [, name = ''] of run.matchAll(/npm run ([\w:-]+)/g)) expect(scripts).toHaveProperty([name])
  expect(jobs.publish.steps.find(({ uses }) => uses?.includes('upload-pages'))?.with).toEqual({
    path: 'site',
  })
  for (const { uses } of jobs.publish.steps) if (uses !== undefined) expect(uses).toMatch(/@v\d+$/)
  expect(read('.gitignore')).toContain('/site/\n')
})

const data = z.object({
  entries: z.array(z.object({ address: z.string() })),
  pairs: z.array(z.object({ address: z.string(), uses: z.record(z.unknown()) })),
})

const step = z.object({
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string()).optional(),
})
const workflow = z.object({ jobs: z.object({ publish: z.object({ steps: z.array(step) }) }) })
