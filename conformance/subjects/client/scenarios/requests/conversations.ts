// Conversations: what a program sends back of an answer (CALL-6), and how it reads the arguments of a call (READ-12).
import {
  type Members,
  ROLE,
  answer,
  chunksWith,
  completion,
  deltasOf,
  jsonReply,
  recordsOf,
  streamReply,
} from '../../../../../harness/scripted-service/scripted-answers.ts'
import type { Asked, Step } from '../../../../../harness/scripted-service/scripted-reply.ts'
import { type ClientCheck, type Scenario, type Turn, check } from '../../scenario.ts'
import {
  type Received,
  keepsCallsWhole,
  readsEmptyArguments,
  sendsBack,
  sendsBackCalls,
  sendsBackHistory,
  sendsBackResults,
} from '../../verify/conversation-rules.ts'
import { PLAIN, usualFor } from '../usual-answers.ts'

export const RESULTS: Turn = { get_weather: '4 °C, "rain"', get_time: '12:05', list_cities: 'Tromsø\nOslo' }

/** The thoughts of an answer; a service may refuse the next turn without them. */
export const THOUGHTS = 'The user wants the weather.\nFirst the city, then the time: “Tromsø”.'

/** Calls whose ids and arguments no program would write itself. */
export const CALLS: Received['calls'] = [
  {
    id: 'call_9f-Weather.1',
    type: 'function',
    function: { name: 'get_weather', arguments: '{ "days":3,\n "city" : "Troms\\u00f8" }' },
    extra_content: { google: { thought_signature: 'CiQB1+/9A==' } },
  },
  {
    id: 'call_2',
    type: 'function',
    function: { name: 'get_time', arguments: '{"zone":"Europe/Oslo"}' },
    extra_content: { google: { thought_signature: 'Zm9v' } },
  },
]

/** The names that services give to their thoughts; each sends one of them. */
type Thoughts = 'reasoning_content' | 'reasoning'

/** A first answer with calls, as the program should send it back. */
const received =
  (name: Thoughts) =>
  ({ text }: Pick<Asked, 'text'>): Received => ({
    content: text,
    members: { [name]: THOUGHTS },
    calls: CALLS,
  })

/** Gives a message with calls, plain or streamed; further members have one text, whose parts are in the same deltas. */
export function calling(message: (asked: Asked) => Received, finish = 'tool_calls'): Step {
  return (asked) => {
    if (!asked.tools) return answer(asked)
    const { content, members, calls } = message(asked)
    if (!asked.stream)
      return jsonReply(
        200,
        completion(asked, {
          message: { content, ...members, tool_calls: calls },
          choice: { finish_reason: finish },
        }),
      )
    const names = Object.keys(members)
    const thoughts = deltasOf(Object.values(members)[0] ?? '')
    const texts = [
      ...thoughts.map((part) => Object.fromEntries(names.map((name) => [name, part]))),
      ...deltasOf(content ?? '').map((part) => ({ content: part })),
    ]
    const fragments = calls.flatMap((call, index) => fragmentsOf(call, index))
    const deltas = [{ ...ROLE, content: null }, ...texts, ...fragments.map((one) => ({ tool_calls: [one] }))]
    return streamReply(recordsOf(chunksWith(asked, deltas, finish)))
  }
}

/** The fragments of a call: the first has all of its members and no arguments; absent arguments stay absent. */
function fragmentsOf(call: Members, index: number): readonly Members[] {
  const { arguments: text, ...head } = Object(call['function'])
  if (text === undefined) return [{ index, ...call }]
  return [
    { index, ...call, function: { ...head, arguments: '' } },
    ...(String(text).match(/[^]{1,7}/g) ?? []).map((part) => ({ index, function: { arguments: part } })),
  ]
}

interface Definition extends Pick<Scenario, 'script' | 'text'> {
  readonly turns?: readonly Turn[]
  /** Other scenarios of the same kind, with which its checks compare it. */
  readonly beside?: readonly string[]
  readonly checks: (id: (name: string) => string, how: string) => readonly ClientCheck[]
}

/** A conversation with tools, plain and streamed. */
export function conversation(name: string, definition: Definition): readonly Scenario[] {
  const { turns = [RESULTS], beside = [], checks, ...rest } = definition
  return [false, true].map((stream) => {
    const suffix = stream ? '-streamed' : ''
    const others = [
      CONVERSATION,
      usualFor({ stream, tools: true }),
      PLAIN,
      ...beside.map((other) => other + suffix),
    ]
    return Object.assign({}, rest, {
      name: name + suffix,
      requested: { stream, tools: true, history: HISTORY, turns },
      checks: checks((id) => id + suffix, stream ? ', streamed' : '').map((one) =>
        Object.assign(one, { beside: others }),
      ),
    })
  })
}

export const CONVERSATION = 'conversation-text'

const HISTORY = [{ role: 'system', content: 'Use the tools. ' }]

const thoughtsGoBack = (name: Thoughts, id: (name: string) => string, how: string): ClientCheck =>
  check(
    id(`call.back-${name.replace('_', '-')}`),
    'CALL-6',
    `\`${name}\` beside calls goes back${how}`,
    (observed) => sendsBack(observed, received(name)(observed), name),
  )

const back = conversation('conversation', {
  script: [calling(received('reasoning_content')), answer],
  checks: (id, how) => [
    check(
      id('call.back-history'),
      'CALL-6',
      `the messages before an answer with calls${how}`,
      (observed, beside) => sendsBackHistory(observed, beside(CONVERSATION)),
    ),
    check(id('call.back-content'), 'CALL-6', `the text beside calls goes back${how}`, (observed) =>
      sendsBack(observed, received('reasoning_content')(observed), 'content'),
    ),
    thoughtsGoBack('reasoning_content', id, how),
    check(id('call.back-calls'), 'CALL-6', `calls go back with their ids and arguments${how}`, (observed) =>
      sendsBackCalls(observed, CALLS, ['id', 'type', 'function']),
    ),
    check(id('call.back-extra-content'), 'CALL-6', `\`extra_content\` of calls goes back${how}`, (observed) =>
      sendsBackCalls(observed, CALLS, ['extra_content']),
    ),
    check(
      id('call.back-results'),
      'CALL-6',
      `each result goes back with the id of its call${how}`,
      (observed) => sendsBackResults(observed, CALLS, RESULTS),
    ),
  ],
})

const reasoningBack = conversation('conversation-reasoning', {
  script: [calling(received('reasoning')), answer],
  checks: (id, how) => [thoughtsGoBack('reasoning', id, how)],
})

/** A call of a function without parameters, whose arguments are these. */
const withoutParameters = (args: string | undefined): Received => ({
  content: null,
  members: {},
  calls: [{ id: 'call_none', type: 'function', function: { name: 'list_cities', arguments: args } }],
})

const empty = Object.entries({ empty: '', absent: undefined }).flatMap(([name, args]) =>
  conversation(`${name}-arguments`, {
    script: [calling(() => withoutParameters(args)), answer],
    checks: (id, how) => [
      check(
        id(`read.${name}-arguments`),
        'READ-12',
        `a call of a function without parameters, whose arguments are ${name}${how}`,
        (observed, beside) => {
          const [usual, plain] = [beside(usualOf(observed)), beside(PLAIN)]
          readsEmptyArguments(observed, beside(CONVERSATION), usual, plain)
        },
      ),
    ],
  }),
)

const usualOf = ({ scenario }: { readonly scenario: Scenario }): string => usualFor(scenario.requested)

/** A call that the bound on tokens cut, after a whole one. */
const cutCalls: Received = {
  content: null,
  members: {},
  calls: [
    ...CALLS.slice(1),
    {
      id: 'call_cut',
      type: 'function',
      function: { name: 'get_weather', arguments: '{"city":"Tromsø","da' },
    },
  ],
}

const cut = conversation('cut-call', {
  script: [calling(() => cutCalls, 'length'), answer],
  checks: (id, how) => [
    check(
      id('read.cut-call'),
      'READ-12',
      `a call that ends with \`length\` in its arguments${how}`,
      (observed) => keepsCallsWhole(observed, 'call_cut'),
    ),
  ],
})

export const scenarios: readonly Scenario[] = [
  {
    name: CONVERSATION,
    requested: { history: HISTORY, turns: ['And then? “Well”\n'] },
    script: [answer],
    checks: [
      {
        ...check(
          'call.back-text',
          'CALL-6',
          'a conversation continues with the text of the answer',
          (observed) => {
            sendsBackHistory(observed, observed)
            sendsBack(observed, { content: observed.text, members: {}, calls: [] }, 'content')
          },
        ),
      },
    ],
  },
  ...back,
  ...reasoningBack,
  ...empty,
  ...cut,
]
