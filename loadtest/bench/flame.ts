// Draws a CPU profile of Node as a flame graph in one SVG file: the width of a box is the time in a function and its
// callees; a caller is above its callees.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchProcess, folder, stopProcess } from './processes.ts'

/** The part of a `.cpuprofile` that is read: a tree of calls, and the active node of each sample. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: {
      readonly functionName: string
      readonly url: string
      readonly lineNumber: number
    }
    readonly children?: readonly number[]
  }[]
  readonly samples: readonly number[]
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[]
}

/** Calls of one function from one place: equal nodes of the profile are merged. */
interface Frame {
  readonly name: string
  readonly place: string
  /** Microseconds, those of `calls` included. */
  time: number
  readonly calls: Map<string, Frame>
}

const WIDTH = 1200
const ROW = 16
/** Narrower boxes are left out, in pixels. */
const NARROWEST = 0.7
/** Deeper calls are left out. */
const MAX_DEPTH = 30
/** The width of a letter, in pixels. */
const LETTER = 6.2

/** The origin of a function, and the colour of its boxes. */
const ORIGINS = [
  { name: 'this project', colour: '#8fb8de', matches: /^(file:\/\/)?\/(?!.*node_modules)/ },
  { name: 'a library', colour: '#f2c078', matches: /node_modules/ },
  { name: 'Node', colour: '#b8d8ba', matches: /^node:/ },
  { name: 'native code', colour: '#d9d9d9', matches: /^$/ },
] as const

/** A frame without work. */
const IDLE = '(idle)'

/**
 * Stops a server that was started with profiles, and draws that of the server into `file`. That of its inference process, if
 * it has one, goes beside it, with `-inference` in the name.
 */
export async function drawFlames(
  server: Pick<BenchProcess, 'child' | 'pid'>,
  file: string,
  title: string,
): Promise<void> {
  await stopProcess(server)
  const profiles = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))
  for (const name of profiles) {
    // CPU.<date>.<time>.<pid>.<thread>.<number>.cpuprofile
    const isServer = name.split('.')[3] === String(server.pid)
    const profile: CpuProfile = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    writeFileSync(
      isServer ? file : file.replace(/(\.svg)?$/, '-inference$1'),
      flameGraph(profile, isServer ? title : `${title}, the inference process`),
    )
  }
  if (profiles.length === 0) throw new Error('the server wrote no profile')
}

/** The SVG of a profile, with `title` above it. */
export function flameGraph(profile: CpuProfile, title: string): string {
  const root = foldProfile(profile)
  const boxes: string[] = []
  let depth = 0
  function draw(frame: Frame, x: number, row: number): void {
    const width = (frame.time / root.time) * WIDTH
    if (width < NARROWEST || row > MAX_DEPTH) return
    depth = Math.max(depth, row)
    if (row > 0) boxes.push(box(frame, x, row, width, root.time))
    let left = x
    for (const call of [...frame.calls.values()].toSorted((a, b) => b.time - a.time)) {
      draw(call, left, row + 1)
      left += (call.time / root.time) * WIDTH
    }
  }
  draw(root, 0, 0)
  const height = (depth + 3) * ROW
  const legend = ORIGINS.map(
    ({ name, colour }, index) =>
      `<rect x="${700 + index * 125}" y="4" width="10" height="10" fill="${colour}"/><text x="${714 + index * 125}" y="13">${name}</text>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="11">
<rect width="100%" height="100%" fill="#fff"/>
<text x="4" y="13" font-weight="bold">${escape(title)}</text>
${legend.join('\n')}
${boxes.join('\n')}
</svg>
`
}

function foldProfile({ nodes, samples, timeDeltas }: CpuProfile): Frame {
  const times = new Map<number, number>()
  for (const [index, id] of samples.entries())
    times.set(id, (times.get(id) ?? 0) + Math.max(0, timeDeltas[index] ?? 0))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const root: Frame = { name: '', place: '', time: 0, calls: new Map() }

  /** Adds the calls of nodes, and their times, to the caller. */
  function add(ids: readonly number[], caller: Frame): void {
    for (const id of ids) {
      const node = byId.get(id)
      if (node === undefined || node.callFrame.functionName === IDLE) continue
      const { functionName, url, lineNumber } = node.callFrame
      const place = url === '' ? '' : `${url}:${lineNumber + 1}`
      const name = functionName === '' ? '(anonymous)' : functionName
      const call = caller.calls.get(`${name} ${place}`) ?? { name, place, time: 0, calls: new Map() }
      caller.calls.set(`${name} ${place}`, call)
      const before = call.time
      call.time += times.get(id) ?? 0
      add(node.children ?? [], call)
      caller.time += call.time - before
    }
  }
  add(nodes[0]?.children ?? [], root)
  return root
}

function box({ name, place, time }: Frame, x: number, row: number, width: number, all: number): string {
  const letters = Math.floor((width - 4) / LETTER)
  const text = letters < 3 ? '' : name.length <= letters ? name : `${name.slice(0, letters - 1)}…`
  const { colour } = ORIGINS.find(({ matches }) => matches.test(place)) ?? ORIGINS[0]
  const where = place.replace(/^.*\/(?=(node_modules|server|spec)\/)/, '')
  const y = row * ROW + 6
  return `<g><title>${escape(`${name} ${where}`.trim())}: ${((time / all) * 100).toFixed(1)} %</title><rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(0.5, width - 0.5).toFixed(1)}" height="${ROW - 1}" fill="${colour}"/>${text === '' ? '' : `<text x="${(x + 2).toFixed(1)}" y="${y + 11}">${escape(text)}</text>`}</g>`
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
