// Checks the structure that CONTRIBUTING.md promises: allowed imports, no circles, small folders, test code apart. The
// judge and the server share no code that knows the protocol, except `spec`, so that no shared code can hide a shared fault.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const AREAS = [
  'spec',
  'server',
  'harness',
  'conformance',
  'fixtures',
  'puppets',
  'loadtest',
  'deploy',
] as const
type Area = (typeof AREAS)[number]

/** The other areas that an area may import; its tests may import more. */
const ALLOWED: Readonly<Record<Area, readonly Area[]>> = {
  spec: [],
  server: ['spec', 'harness'],
  harness: ['spec'],
  conformance: ['spec', 'harness'],
  fixtures: ['spec'],
  puppets: ['spec', 'harness', 'fixtures'],
  loadtest: ['spec', 'harness'],
  deploy: ['spec', 'server', 'harness', 'fixtures'],
}
const ALLOWED_IN_TESTS: Readonly<Record<Area, readonly Area[]>> = {
  spec: [],
  server: ['fixtures'],
  harness: ['conformance'],
  conformance: ['fixtures', 'puppets'],
  fixtures: ['harness', 'conformance'],
  puppets: [],
  loadtest: ['fixtures'],
  deploy: [],
}

/** The most files in one folder, without tests and their fixtures. */
const MOST_FILES = 16

interface Import {
  readonly file: string
  readonly from: Area
  readonly isTest: boolean
  /** The area that is imported, or the name of a package. */
  readonly to: string
  /** The imported path: from the root for a file of the project, otherwise the name of the package. */
  readonly path: string
  readonly isOfTypes: boolean
}

const files = AREAS.flatMap((area) =>
  // Packages installed below a folder are not part of it, and a link among them may lead back here.
  globSync(`${area}/**/*.ts`, { cwd: root, exclude: ['**/node_modules'] }).map((path) => ({ area, path })),
)
const imports = files.flatMap(({ area, path }) => importsOf(area, path))

function isTest(path: string): boolean {
  return /\.(test|fixture)\.ts$/.test(path)
}

function importsOf(from: Area, file: string): Import[] {
  const specifiers = readFileSync(join(root, file), 'utf8').matchAll(
    /^(?:import|export)\b[^'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm,
  )
  return [...specifiers].map(([statement, a, b, c]) => {
    const specifier = a ?? b ?? c ?? ''
    const isOurs = specifier.startsWith('.')
    const path = isOurs ? relative(root, join(root, dirname(file), specifier)) : specifier
    return {
      file,
      from,
      isTest: isTest(file),
      to: isOurs ? (path.split('/')[0] ?? '') : path,
      path,
      isOfTypes: statement.startsWith('import type '),
    }
  })
}

const isArea = (name: string): name is Area => AREAS.some((area) => area === name)

test('the code was read', () => {
  expect(imports.length).toBeGreaterThan(1000)
})

test('every area imports only the areas that it may import', () => {
  const wrong = imports.filter(({ from, to, isTest }) => {
    if (!isArea(to) || to === from) return false
    return !ALLOWED[from].includes(to) && !(isTest && ALLOWED_IN_TESTS[from].includes(to))
  })
  expect(wrong).toEqual([])
})

test('of the harness, the server imports only settings, the document of pages, waiting and the bytes of bodies', () => {
  const ofHarness = imports.filter(({ from, to, isTest }) => from === 'server' && to === 'harness' && !isTest)
  const wrong = ofHarness.filter(
    ({ path }) => !/^harness\/(cli|html|waiting|page-section\.ts$|bounds\/growing-bytes)/.test(path),
  )
  expect(wrong).toEqual([])
})

/** The layers of the judge: each imports only those before it. The parts of the last one do not import each other. */
const LAYERS = [
  ['contract'],
  ['exchanges', 'generate', 'facts'],
  ['report'],
  ['bundle'],
  ['subjects'],
  ['lab'],
  ['cli'],
  ['record'],
] as const

test('every folder of the judge imports only itself and the layers before it', () => {
  const layerOf = (path: string): number =>
    LAYERS.findIndex((names) => names.some((name) => path.startsWith(`conformance/${name}/`)))
  const wrong = imports.filter(({ file, path, isTest }) => {
    const [from, to] = [layerOf(file), layerOf(path)]
    return !isTest && from !== -1 && to > from
  })
  expect(wrong).toEqual([])
})

/** The list of subjects, and the same with their checks as data. */
const LISTS: ReadonlySet<string> = new Set([
  'conformance/subjects/index.ts',
  'conformance/subjects/listed.ts',
])

test('a subject imports no other subject, and the rest of the judge reaches subjects by their list alone', () => {
  const subjectOf = (path: string): string | undefined => /^conformance\/subjects\/(\w+)\//.exec(path)?.[1]
  const wrong = imports.filter(({ file, path, isTest }) => {
    const to = subjectOf(path)
    if (isTest || to === undefined || LISTS.has(file)) return false
    return subjectOf(file) !== to
  })
  expect(wrong).toEqual([])
})

test('nothing outside the subjects judges a server, a client or a gateway: results are made there alone', () => {
  const judging = files.filter(
    ({ path }) =>
      /^(?:conformance|loadtest|harness)\//.test(path) &&
      !/^conformance\/(?:contract|subjects)\//.test(path) &&
      !isTest(path),
  )
  const makes =
    /\b(?:createResults|judgeEnd|notRun|withError)\b|new CheckFailure\(|\bverify: \(|verdict: '(?:works|fails)/
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  expect(judging.length).toBeGreaterThan(200)
  expect(judging.filter(({ path }) => makes.test(read(path)))).toEqual([])
  expect(makes.test(read('conformance/subjects/client/judge-observed.ts'))).toBe(true)
})

test('no production file imports a test or a fixture', () => {
  expect(imports.filter((each) => !each.isTest && isTest(each.path))).toEqual([])
})

test('no files import each other in a circle', () => {
  const graph = Map.groupBy(
    imports.filter(({ to }) => isArea(to)),
    ({ file }) => file,
  )
  expect(circlesOf(graph)).toEqual([])
})

test('no folders import each other in a circle: within each folder, its files and subfolders have a direction', () => {
  const parents = new Set(files.flatMap(({ path }) => foldersAbove(path)))
  const own = imports.filter(({ isTest }) => !isTest)
  const circles = [...parents].flatMap((parent) => {
    const roomOf = (path: string): string => path.slice(parent.length + 1).split('/', 1)[0] ?? ''
    const isInside = (path: string): boolean => path.startsWith(`${parent}/`)
    const between = own
      .filter(({ file, path }) => isInside(file) && isInside(path) && roomOf(file) !== roomOf(path))
      .map((each) => Object.assign({}, each, { file: roomOf(each.file), path: roomOf(each.path) }))
    const distinct = new Map(between.map((each) => [`${each.file} ${each.path}`, each]))
    const found = circlesOf(Map.groupBy(distinct.values(), ({ file }) => file))
    return found.map((circle) => `${parent}: ${circle.join(' > ')}`)
  })
  expect(parents.size).toBeGreaterThan(80)
  expect(circles).toEqual([])
})

function foldersAbove(path: string): readonly string[] {
  const folder = dirname(path)
  return folder === '.' ? [] : [folder, ...foldersAbove(folder)]
}

/** The circles of the graph, each as the list of its files. */
function circlesOf(graph: ReadonlyMap<string, readonly Import[]>): string[][] {
  const done = new Set<string>()
  const circles: string[][] = []
  const walk = (file: string, way: readonly string[]): void => {
    const at = way.indexOf(file)
    if (at !== -1) circles.push([...way.slice(at), file])
    if (at !== -1 || done.has(file)) return
    for (const { path } of graph.get(file) ?? []) walk(path, [...way, file])
    done.add(file)
  }
  for (const file of graph.keys()) walk(file, [])
  return circles
}

test('a walk finds a circle', () => {
  const edge = (file: string, path: string): Import => {
    return { file, path, from: 'spec', to: 'spec', isTest: false, isOfTypes: false }
  }
  const graph = new Map([
    ['a', [edge('a', 'b')]],
    ['b', [edge('b', 'c')]],
    ['c', [edge('c', 'b')]],
  ])
  expect(circlesOf(graph)).toEqual([['b', 'c', 'b']])
})

test('no folder has too many files', () => {
  const folders = Map.groupBy(
    files.filter(({ path }) => !isTest(path)),
    ({ path }) => dirname(path),
  )
  const full = [...folders].filter(([, held]) => held.length > MOST_FILES).map(([name]) => name)
  expect(full).toEqual([])
})

test('a k6 script imports only k6, scripts of its folder, and types', () => {
  const scripts = imports.filter(({ file }) => file.startsWith('loadtest/scenarios/'))
  expect(scripts.length).toBeGreaterThan(5)
  const wrong = scripts.filter(({ to, isOfTypes, file, path }) => {
    return !/^k6(\/|$)/.test(to) && !isOfTypes && dirname(path) !== dirname(file)
  })
  expect(wrong).toEqual([])
})

test('in the dashboard, pages do not import routes, and sessions and data import neither', () => {
  const forbidden = {
    session: ['pages', 'routes', 'data'],
    data: ['pages', 'routes', 'session'],
    pages: ['routes'],
  }
  const folder = 'server/dashboard'
  const wrong = imports.filter(({ file, path, isTest }) =>
    Object.entries(forbidden).some(
      ([from, targets]) =>
        !isTest &&
        file.startsWith(`${folder}/${from}/`) &&
        targets.some((to) => path.startsWith(`${folder}/${to}`)),
    ),
  )
  expect(wrong).toEqual([])
  const drawing = imports.filter(
    ({ file, to }) =>
      file.startsWith(`${folder}/`) && !file.startsWith(`${folder}/pages/`) && to === 'hono/html',
  )
  expect(drawing).toEqual([])
})

test('server/http imports no other folder of the server, so that all of them can import it', () => {
  const isHttp = (path: string): boolean => path.startsWith('server/http/')
  const ofHttp = imports.filter(({ file, isTest }) => isHttp(file) && !isTest)
  expect(ofHttp.length).toBeGreaterThan(20)
  expect(ofHttp.filter(({ to, path }) => to === 'server' && !isHttp(path))).toEqual([])
})

test('the specification needs only zod and the packages that generate its document', () => {
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
  const loading = imports.filter(({ to, isTest }) => to === 'node-llama-cpp' && !isTest)
  const elsewhere = loading.filter(({ file }) => !file.startsWith('server/engines/llama/'))
  expect(elsewhere).toEqual([])
})

test('the map in CONTRIBUTING.md names every folder, and every path there exists', () => {
  const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
  const named = [
    ...page.matchAll(
      /`((?:spec|server|harness|conformance|fixtures|puppets|loadtest|deploy|docs)[\w./-]*)`/g,
    ),
  ]
  const paths = new Set(named.map(([, path = '']) => path))
  expect([...paths].filter((path) => !existsSync(join(root, path)))).toEqual([])
  const folders = new Set(files.map(({ path }) => dirname(path)))
  // The subfolders of these are covered by the line of their parent.
  const inside = /^(conformance\/subjects\/server\/cases|fixtures\/faulty)\//
  expect([...folders].filter((folder) => !paths.has(folder) && !inside.test(folder))).toEqual([])
})
