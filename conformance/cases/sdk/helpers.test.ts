// Each fault that a helper of the client library cannot work with turns its check red; what a model may choose does not.
import { describe, expect, it } from 'vitest'
import { at } from '../../../harness/verify/json-value.ts'
import { type Call, type Fault, type Reply, reply } from '../scripted/scripted-chat.fixture.ts'
import { judgeChat } from '../scripted/judge-scripted-chat.fixture.ts'
import { judge } from '../scripted/judge-scripted-service.fixture.ts'
import { failed } from '../scripted/scripted-verdicts.fixture.ts'
import { refuse, rightly, startService } from '../scripted/scripted-service.fixture.ts'
import { cases } from './helpers.ts'

const LIMIT_CHECK = 'sdk.rate-limit-error'
const helperCases = cases.filter(({ id }) => id !== LIMIT_CHECK)

type Json = Record<string, unknown>

const wordCall = {
  id: 'call_1',
  type: 'function',
  function: { name: 'look_up', arguments: '{"word":"stone"}' },
}

function completion(message: Json, finish_reason = 'stop'): Reply {
  return reply({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'svc-0.1-echo',
    choices: [{ index: 0, message: { role: 'assistant', refusal: null, ...message }, finish_reason }],
  })
}

interface Answers {
  /** The content of an answer in a schema. */
  readonly json?: string
  /** Null for none. */
  readonly call?: unknown
  /** The answer to the result of a call. */
  readonly afterCall?: (call: Call) => Reply
  readonly finish?: string
}

/** The service, with schemas and one tool beside what it can do, answering them so. */
function answering({
  json = '{"name":"flint","weight":1.5}',
  call: toolCall = wordCall,
  afterCall = () => completion({ content: 'A stone.' }),
  finish = 'stop',
}: Answers): Fault {
  return (call, right) => {
    const messages = at(call.body, 'messages')
    if (at(call.body, 'response_format') !== undefined) return completion({ content: json }, finish)
    if (at(call.body, 'tools') === undefined) return right(call)
    if (Array.isArray(messages) && at(messages.at(-1), 'role') === 'tool') return afterCall(call)
    return toolCall === null
      ? completion({ content: 'No.' })
      : completion({ content: null, tool_calls: [toolCall] }, 'tool_calls')
  }
}

async function outcomes(fault: Fault): Promise<readonly string[]> {
  return (await judgeChat(fault, helperCases)).map(({ outcome }) => outcome)
}

const [FORMAT, FUNCTION, RUN] = ['sdk.parse-response-format', 'sdk.parse-function', 'sdk.run-tools']

describe('faults', () => {
  it.each<[string, Answers, readonly (string | undefined)[]]>([
    ['JSON that is cut', { json: '{"name":"fl' }, [FORMAT]],
    ['a value of another type', { json: '{"name":"flint","weight":"much"}' }, [FORMAT]],
    ['JSON in a fence', { json: '```json\n{"name":"flint","weight":1}\n```' }, [FORMAT]],
    ['a call without a type', { call: { ...wordCall, type: undefined } }, [FUNCTION, RUN]],
    [
      'arguments as an object',
      { call: { ...wordCall, function: { name: 'look_up', arguments: { word: 'stone' } } } },
      [FUNCTION, RUN],
    ],
    [
      'a function that nobody has',
      { call: { ...wordCall, function: { name: 'lookUp', arguments: '{"word":"stone"}' } } },
      [FUNCTION, RUN],
    ],
    ['results that are refused', { afterCall: () => refuse(400, 'role', 'No such role.') }, [RUN]],
  ])('%s', async (_, answers, checks) => {
    expect(failed(await judgeChat(answering(answers), helperCases))).toEqual(checks)
  })
})

describe('allowed', () => {
  it('the right service', async () => {
    expect(await outcomes(answering({}))).toEqual(['pass', 'pass', 'pass'])
  })

  it('an answer that was cut is not judged', async () => {
    const fault = answering({ json: '{"name":"fl', finish: 'length' })
    expect((await outcomes(fault))[0]).toBe('inconclusive')
  })

  it('an answer that was cut, and the next one not, is judged', async () => {
    const seen = new Set<unknown>()
    const once: Fault = (call, right) => {
      const kind = JSON.stringify([at(call.body, 'response_format'), at(call.body, 'tool_choice')])
      // The judge itself asks first whether there is such a field.
      const first = call.headers['user-agent']?.startsWith('OpenAI') === true && !seen.has(kind)
      if (first) seen.add(kind)
      return first ? completion({ content: 'And so on, and so' }, 'length') : answering({})(call, right)
    }
    expect(await outcomes(once)).toEqual(['pass', 'pass', 'pass'])
    expect(seen.size).toBe(3)
  })

  it('a model that calls on for ever is left', async () => {
    const again = completion({ content: null, tool_calls: [wordCall] }, 'tool_calls')
    expect((await outcomes(answering({ afterCall: () => again })))[2]).toBe('not-applicable')
  })

  it('a model that was not forced to call need not', async () => {
    const chosen: Fault = (call, right) => {
      const forced = typeof at(call.body, 'tool_choice') === 'object'
      return answering(forced ? {} : { call: null })(call, right)
    }
    expect(await outcomes(chosen)).toEqual(['pass', 'pass', 'not-applicable'])
  })

  it('schemas that are refused by name are not offered', async () => {
    const fault: Fault = (call, right) =>
      at(call.body, 'response_format') === undefined ? answering({})(call, right) : right(call)
    expect((await outcomes(fault))[0]).toBe('not-applicable')
  })
})

describe('over the limit', () => {
  const limitCases = cases.filter(({ id }) => id === LIMIT_CHECK)

  it('the class is that of a 429', async () => {
    await using service = await startService(rightly)
    expect(await judge(service, limitCases)).toMatchObject([{ outcome: 'pass' }])
  })

  it('another status is for other rows', async () => {
    await using service = await startService((request, next) => {
      const given = next(request)
      return given.status === 429 ? { ...given, status: 403 } : given
    })
    expect(await judge(service, limitCases)).toMatchObject([{ outcome: 'not-applicable' }])
  })
})
