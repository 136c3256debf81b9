// Who may import whom. The specification is imported by all and imports nobody; the judge and the server never meet,
// so that no shared code can hide a shared fault. The load tests judge too, and see with the judge's eyes.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const AREAS = ['spec', 'server', 'conformance', 'fixtures', 'loadtest'] as const
type Area = (typeof AREAS)[number]

/** What an area may import beside itself; its tests may import more. */
const ALLOWED: Readonly<Record<Area, readonly Area[]>> = {
  spec: [],
  server: ['spec'],
  conformance: ['spec'],
  fixtures: ['spec'],
  loadtest: ['spec', 'conformance'],
}
const ALLOWED_IN_TESTS: Readonly<Record<Area, readonly Area[]>> = {
  spec: ['server', 'conformance'],
  server: ['spec', 'fixtures'],
  conformance: ['spec', 'fixtures'],
  fixtures: ['spec', 'conformance'],
  loadtest: ['spec', 'fixtures'],
}

interface Import {
  readonly file: string
  readonly from: Area
  readonly isTest: boolean
  /** The area that is imported, or the name of a package. */
  readonly to: string
  /** What it is called there, from the root where it is ours. */
  readonly path: string
  readonly isOfTypes: boolean
}

const imports = AREAS.flatMap((area) =>
  readdirSync(join(root, area), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => importsOf(area, join(root, area, name))),
)

function importsOf(from: Area, path: string): Import[] {
  const file = relative(root, path)
  const specifiers = [
    ...readFileSync(path, 'utf8').matchAll(
      /^(?:import|export)\b[^'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm,
    ),
  ]
  return specifiers.map(([statement, a, b, c]) => {
    const specifier = a ?? b ?? c ?? ''
    const isOurs = specifier.startsWith('.')
    const target = isOurs ? relative(root, join(dirname(path), specifier)) : specifier
    return {
      file,
      from,
      isTest: /\.(test|fixture)\.ts$/.test(file),
      to: isOurs ? (target.split('/')[0] ?? '') : target,
      path: target,
      isOfTypes: statement.startsWith('import type '),
    }
  })
}

const isArea = (name: string): name is Area => AREAS.some((area) => area === name)

test('the code was read', () => {
  expect(imports.length).toBeGreaterThan(300)
})

test('no area imports one that it must not know', () => {
  const wrong = imports.filter(({ from, to, isTest }) => {
    if (!isArea(to) || to === from) return false
    return !ALLOWED[from].includes(to) && !(isTest && ALLOWED_IN_TESTS[from].includes(to))
  })
  expect(wrong).toEqual([])
})

test('what k6 runs imports k6 and its own neighbours, and types alone from elsewhere', () => {
  const scripts = imports.filter(({ file }) => file.startsWith('loadtest/scenarios/'))
  expect(scripts.length).toBeGreaterThan(5)
  const wrong = scripts.filter(({ to, isOfTypes, file, path }) => {
    return !/^k6(\/|$)/.test(to) && !isOfTypes && dirname(path) !== dirname(file)
  })
  expect(wrong).toEqual([])
})

test('the specification needs no package but zod and what makes its document', () => {
  const packages = imports
    .filter(({ from, isTest, to }) => from === 'spec' && !isTest && !isArea(to))
    .map(({ to }) => to)
  expect([...new Set(packages)].filter((name) => !name.startsWith('node:')).toSorted()).toEqual([
    '@anatine/zod-openapi',
    'openapi3-ts/oas31',
    'zod',
  ])
})

test('llama.cpp is loaded in the inference process only', () => {
  const files = imports.filter(({ to, isTest }) => to === 'node-llama-cpp' && !isTest).map(({ file }) => file)
  expect(files.filter((file) => !file.startsWith('server/engines/llama/'))).toEqual([])
})
