// The kill table of the parsers: an engine with one fault fails the rows that it breaks, and one that is odd and right none.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildPuppet } from '../../../../../puppets/build-puppet.ts'
import { FAMILIES } from '../../../../../puppets/families.ts'
import { runConformance } from '../../../../run-conformance.ts'
import { type Asked, type EngineOptions, type Said, startParsingEngine } from './parsing-engine.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'touchstone-'))
const file = join(folder, 'puppet.json')
const family = FAMILIES.find(({ name }) => name === 'qwen3')
if (family === undefined) throw new Error('the families have qwen3')
const { puppet } = buildPuppet(family)

beforeAll(() => writeFileSync(file, JSON.stringify(puppet)))
afterAll(() => rmSync(folder, { recursive: true }))

/** The outcome of each row by its number. */
async function judge(options: EngineOptions, given: { quick?: boolean; puppet?: string } = { puppet: file }) {
  await using engine = await startParsingEngine(puppet, options)
  const report = await runConformance({
    baseUrl: engine.baseUrl,
    profile: 'wire',
    only: 'PARSE-*',
    seed: 1,
    ...given,
  })
  const rows = Map.groupBy(report.checks, ({ requirement }) => Number(requirement.replace('PARSE-', '')))
  const outcomes = [...rows].map(([row, checks]) => {
    const outcome = ['error', 'fail', 'inconclusive', 'warn', 'pass'].find((one) =>
      checks.some((check) => check.outcome === one),
    )
    return [row, outcome ?? 'not-applicable'] as const
  })
  return { outcomes: new Map(outcomes), report }
}

const of = (kind: string, change: (said: Said, asked: Asked) => Partial<Said>): EngineOptions => ({
  change: (said, asked) =>
    asked.script.kind === kind && !asked.isCut && asked.isOffered
      ? { ...said, ...change(said, asked) }
      : said,
})
const streamed = (change: (said: Said, asked: Asked) => Partial<Said>): EngineOptions => ({
  change: (said, asked) => (asked.isStream && !asked.isCut ? { ...said, ...change(said, asked) } : said),
})
const cut = (change: (said: Said, asked: Asked) => Partial<Said>): EngineOptions => ({
  change: (said, asked) => (asked.isCut ? { ...said, ...change(said, asked) } : said),
})
/** Gives a cut answer the call that it has begun, with other arguments. */
const cutCall = (written: (call: { readonly arguments: unknown }) => string): EngineOptions =>
  cut((said, { script, raw }) => {
    const [call] = script.expect.tool_calls
    return call !== undefined && raw.includes(`"${call.name}"`) && said.calls.length === 0
      ? { calls: [{ id: 'call_c', name: call.name, arguments: written(call) }] }
      : {}
  })
const unoffered = (change: (said: Said, asked: Asked) => Partial<Said>): EngineOptions => ({
  change: (said, asked) => (asked.isOffered ? said : { ...said, ...change(said, asked) }),
})
const withArguments = ({ calls }: Said, change: (text: string, index: number) => string): Partial<Said> => ({
  calls: calls.map((call, index) => ({ ...call, arguments: change(call.arguments, index) })),
})

/** A call that a parser without care finds in a text. */
const careless = (said: Said): Partial<Said> => {
  const found = /<tool_call>\n(?<json>.*)\n<\/tool_call>/.exec(said.content)?.groups?.['json']
  if (found === undefined) return {}
  const { name, arguments: values } = JSON.parse(found) as { name: string; arguments: object }
  return {
    content: '',
    calls: [{ id: 'call_q', name, arguments: JSON.stringify(values) }],
    finish: 'tool_calls',
  }
}

/** Faults by their names, with the rows that each breaks. */
const FAULTS: Readonly<Record<string, readonly [rows: readonly number[], options: EngineOptions]>> = {
  'trims texts': [[1], of('text', ({ content }) => ({ content: content.trim() }))],
  'joins blank lines': [[1], of('text', ({ content }) => ({ content: content.replaceAll('\n\n', '\n') }))],
  'splits characters in a stream': [
    [1, 3],
    streamed(({ content }) => ({ content: content.replaceAll(/[😀🚀]/gu, '\uFFFD\uFFFD') })),
  ],
  'leaves a marker': [[2], of('call', (said) => ({ content: `${said.content}</tool_call>` }))],
  'reports a whole call as cut': [[2], of('call', () => ({ finish: 'length' }))],
  'stops for calls': [[2], of('call', () => ({ finish: 'stop' }))],
  'loses calls in a stream': [[2, 3, 4, 5, 6, 8], streamed(({ finish }) => ({ calls: [], finish }))],
  'loses the last fragment of a stream': [
    [2, 3, 4, 5, 6, 8],
    streamed((said) => withArguments(said, (text) => text.slice(0, -1))),
  ],
  'writes the second arguments to the first call': [
    [4],
    of('calls', (said) =>
      withArguments(said, (_, index) =>
        index === 0 ? said.calls.map((call) => call.arguments).join('') : '',
      ),
    ),
  ],
  'gives all calls one id': [
    [4],
    of('calls', ({ calls }) => ({ calls: calls.map((call) => ({ ...call, id: 'call_x' })) })),
  ],
  'drops the text before a call': [
    [5],
    of('text-and-call', ({ content }) => ({ content: content.split('\n').slice(1).join('') })),
  ],
  'repeats the text before a call': [
    [5],
    of('text-and-call', ({ content }) => ({ content: `${content}\n${content}` })),
  ],
  'leaves thoughts in the text': [
    [6],
    of('thoughts', ({ content, reasoning }) => ({ content: reasoning + content, reasoning: '' })),
  ],
  'loses the last word of thoughts': [
    [6],
    of('thoughts', ({ reasoning }) => ({ reasoning: reasoning.replace(/ \S+$/, '') })),
  ],
  'completes cut calls': [[7], cutCall((call) => JSON.stringify(call.arguments))],
  'closes cut arguments': [[7], cutCall(() => '{"city": "Pa"}')],
  'reports cut calls as whole': [
    [7],
    cut(({ calls }, { raw }) =>
      calls.length > 0 || raw.includes('<tool_call>') ? { finish: 'tool_calls' } : {},
    ),
  ],
  'leaves the marker of a cut call': [
    [7],
    cut(({ content }, { raw }) => (raw.includes('<tool_call>') ? { content: `${content}<tool_call>` } : {})),
  ],
  'reads numbers in text': [
    [8],
    of('arguments', (said) => withArguments(said, (text) => text.replace('"007"', '7'))),
  ],
  'drops null': [
    [8],
    of('arguments', (said) => withArguments(said, (text) => text.replace('"parent":null,', ''))),
  ],
  'escapes twice': [
    [8],
    of('arguments', (said) => withArguments(said, (text) => text.replaceAll('\\n', '\\\\n'))),
  ],
  'takes quoted markup for a call': [[9], of('quoted', careless)],
  'loses markup that is not a call': [
    [9],
    of('quoted', ({ content }) => ({ content: content.replaceAll(/<tool_call>[^]*/g, '') })),
  ],
  'loses calls that were not offered': [
    [10],
    unoffered(({ content }) => ({ content: content.replaceAll(/\{"name[^]*/g, '') })),
  ],
  'answers nothing if tools are not allowed': [[10], unoffered(() => ({ content: '', finish: 'stop' }))],
}

test('each row is broken by two faults or more', () => {
  const broken = Map.groupBy(
    Object.values(FAULTS).flatMap(([rows]) => rows),
    (row) => row,
  )
  expect([...broken.values()].map(({ length }) => length).every((count) => count >= 2)).toBe(true)
  expect([...broken.keys()].toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
})

describe('an engine that', () => {
  for (const [index, [name, [rows, options]]] of Object.entries(FAULTS).entries())
    test(`${name} fails those rows alone`, { tags: index % 6 === 0 ? [] : ['slow'] }, async () => {
      const { outcomes } = await judge(options)
      const broken = [...outcomes].filter(([, outcome]) => outcome !== 'pass')
      expect(broken.map(([row]) => row).toSorted((a, b) => a - b)).toEqual(rows)
      expect(broken.every(([, outcome]) => outcome === 'fail' || outcome === 'warn')).toBe(true)
    })

  const values = (text: string): string =>
    JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text) as object).toReversed()), undefined, 2)
  test.each<[string, EngineOptions]>([
    ['parses rightly', {}],
    ['names the thoughts `reasoning`', { reasoningMember: 'reasoning' }],
    [
      'writes arguments again, in another order',
      { change: (said) => ({ ...said, ...withArguments(said, values) }) },
    ],
    ['streams whole texts', { fragments: (text) => [text] }],
    ['streams single characters', { fragments: (text) => Array.from(text) }],
    [
      'keeps newlines around calls',
      { change: (said) => (said.calls.length > 0 ? { ...said, content: `${said.content}\n` } : said) },
    ],
    [
      'shows a cut call as far as it came',
      cut(
        (
          said,
          {
            script: {
              expect: {
                tool_calls: [call],
              },
            },
            raw,
          },
        ) => {
          const [, text] = /"arguments": (.*)/s.exec(raw) ?? []
          const begun = text?.slice(0, 8)
          if (call === undefined || begun === undefined || said.calls.length > 0) return {}
          if (!JSON.stringify(call.arguments).startsWith(begun)) return {}
          return { calls: [{ id: 'call_c', name: call.name, arguments: begun }] }
        },
      ),
    ],
  ])('%s holds every row', async (_, options) => {
    const { outcomes } = await judge(options)
    expect([...outcomes.values()]).toEqual(Array<string>(10).fill('pass'))
  })
})

test('an engine whose grammar makes the model write on is not judged by those scripts', async () => {
  const { outcomes, report } = await judge(
    of('text-and-call', () => ({ calls: [], content: 'and so on', finish: 'length', tokens: 10_000 })),
  )
  const [, outcome] = [...outcomes].find(([row]) => row === 5) ?? []
  expect(outcome).toBe('inconclusive')
  expect([...outcomes].filter(([, one]) => one !== 'pass').map(([row]) => row)).toEqual([5])
  expect(report.checks.find(({ id }) => id === 'parse.text-and-call')?.reason).toMatch(
    /: text-call, call-text/,
  )
})

/** An engine that answers an unknown function by a known one, as if the model had written these tokens. */
const renaming = (written: (raw: string) => readonly string[]): EngineOptions => ({
  change(said, { script, raw }) {
    if (script.id !== 'unknown-function') return said
    const call = { id: 'call_0', name: script.tools[0]?.function.name ?? '', arguments: '{}' }
    return { ...said, content: '', calls: [call], finish: 'tool_calls', written: written(raw) }
  },
})

test.each([
  ['wrote another text', () => ['<tool_call>', '{"name": "get_weather"}', '</tool_call>'], 'inconclusive'],
  ['wrote its script', (raw: string) => [raw.slice(0, 5), raw.slice(5)], 'warn'],
  ['wrote tokens that are not shown', () => [], 'warn'],
])('a call that replaces another one, of a model that %s', async (_, written, expected) => {
  const { report } = await judge(renaming(written))
  const check = report.checks.find(({ id }) => id === 'parse.quoted')
  expect(check?.outcome).toBe(expected)
  if (expected === 'inconclusive') expect(check?.reason).toMatch(/: unknown-function$/)
})

test('an engine without parsers is judged by its texts alone', async () => {
  const { outcomes } = await judge({
    change: (_, { raw, isCut }) => ({
      content: raw,
      reasoning: '',
      calls: [],
      finish: isCut ? 'length' : 'stop',
    }),
  })
  const held = [...outcomes].filter(([, outcome]) => outcome === 'pass').map(([row]) => row)
  expect(held.toSorted((a, b) => a - b)).toEqual([1, 3, 7, 9, 10])
  expect([...outcomes.values()].filter((outcome) => outcome === 'not-applicable')).toHaveLength(5)
})

test('without a puppet no row is applicable, and the reason says so', async () => {
  const { report } = await judge({}, {})
  expect(new Set(report.checks.map(({ outcome }) => outcome))).toEqual(new Set(['not-applicable']))
  expect(report.checks[0]?.reason).toContain('--puppet')
})

test('a quick run sends few requests, and a failure shows the raw text and the pieces of the stream', async () => {
  const { report } = await judge(FAULTS['loses calls in a stream']?.[1] ?? {}, { quick: true, puppet: file })
  expect(report.requests).toBeLessThan(150)
  const failure = report.checks.find(({ id }) => id === 'parse.same-stream')
  expect(JSON.stringify(failure)).toContain('the model wrote')
  expect(JSON.stringify(failure)).toContain('in the pieces')
})
