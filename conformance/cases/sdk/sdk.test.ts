// Each fault that the client library cannot work with turns its row red; what it can work with stays green.
import { describe, expect, it } from 'vitest'
import { at } from '../../../harness/verify/json-value.ts'
import {
  type Fault,
  inChunks,
  inRecords,
  inRequest,
  inStream,
  isStream,
  reply,
} from '../scripted/scripted-chat.fixture.ts'
import { judgeChat } from '../scripted/judge-scripted-chat.fixture.ts'
import { failed, notPassed } from '../scripted/scripted-verdicts.fixture.ts'
import { refuse } from '../scripted/scripted-service.fixture.ts'
import { cases } from './sdk.ts'

type Json = Record<string, unknown>

function inDelta(edit: (delta: Json) => unknown): Fault {
  return inChunks((chunk) => {
    const choice = at(chunk, 'choices', 0)
    return [{ ...chunk, choices: [{ ...Object(choice), delta: edit({ ...Object(at(choice, 'delta')) }) }] }]
  })
}

/** Answers a path in another way. */
function onPath(path: string, other: ReturnType<typeof reply>): Fault {
  return (call, right) => (call.path === path ? other : right(call))
}

const broken: Readonly<Record<string, { readonly fault: Fault; readonly checks: readonly string[] }>> = {
  'completions are text': {
    fault: (call, right) => {
      const given = right(call)
      return isStream(given) ? given : { ...given, headers: { 'content-type': 'text/plain' } }
    },
    checks: ['sdk.create', 'sdk.models-list', 'sdk.models-retrieve', 'sdk.abort-stream', 'sdk.many-calls'],
  },
  'streams have no role': {
    fault: inDelta((delta) => ({ content: delta['content'] })),
    checks: ['sdk.stream-helper'],
  },
  'streams have no finish': {
    fault: inRecords((records) => records.filter((record) => !record.includes('"stop"'))),
    checks: ['sdk.stream-helper'],
  },
  'streams hold empty events': {
    fault: inStream((text) => `event: ping\n\n${text}`),
    checks: ['sdk.create-stream', 'sdk.stream-helper', 'sdk.abort-stream', 'sdk.many-streams'],
  },
  'streams carry an error': {
    fault: inRecords(() => ['{"error":{"message":"No."}}']),
    checks: ['sdk.create-stream', 'sdk.stream-helper', 'sdk.abort-stream', 'sdk.many-streams'],
  },
  'streams are of nothing but [DONE]': {
    fault: inRecords(() => ['[DONE]']),
    checks: ['sdk.create-stream', 'sdk.stream-helper', 'sdk.many-streams'],
  },
  'the list is a bare array': {
    fault: onPath('/v1/models', reply([{ id: 'a' }])),
    checks: ['sdk.models-list'],
  },
  'the record is a list': {
    fault: onPath('/v1/models/svc-0.1-echo', reply({ data: [] })),
    checks: ['sdk.models-retrieve'],
  },
  'each answer is that of the call before': {
    fault: (() => {
      let before: unknown = [{ role: 'user', content: 'Nobody asked before.' }]
      return inRequest((body) => {
        const content = at(body, 'messages', 0, 'content')
        if (typeof content !== 'string' || content.startsWith('random ')) return body
        const answered = { ...body, messages: before }
        before = body['messages']
        return answered
      })
    })(),
    checks: ['sdk.many-calls', 'sdk.many-streams'],
  },
  'calls at the same time fail': {
    fault: (() => {
      // Only those that are made side by side ask for a text that is made up.
      let calls = 0
      return (call, right) =>
        /"[\w-]{43}"/.test(JSON.stringify(call.body ?? null)) && ++calls % 10 === 0
          ? refuse(500, 'busy', 'Busy.')
          : right(call)
    })(),
    checks: ['sdk.many-calls', 'sdk.many-streams'],
  },
}

const allowed: Readonly<Record<string, Fault>> = {
  'the right service': (call, right) => right(call),
  'comments, CRLF, no [DONE]': inStream(
    (text) => `: hello\r\n\r\n${text.replace('data: [DONE]\n\n', '').replaceAll('\n', '\r\n')}`,
  ),
  'members that the format lacks': inDelta((delta) => ({ ...delta, extra: 1 })),
}

describe('faults', () => {
  it.each(Object.entries(broken))('%s', async (_, { fault, checks }) => {
    const verdicts = await judgeChat(fault, cases)
    expect(failed(verdicts)).toEqual(expect.arrayContaining([...checks]))
    expect(failed(verdicts)).toHaveLength(checks.length)
  })
})

describe('allowed', () => {
  it.each(Object.entries(allowed))('%s', async (_, fault) => {
    expect(notPassed(await judgeChat(fault, cases))).toEqual([])
  })

  it('no record of a model, and refusals with other statuses, are not applicable', async () => {
    const fault: Fault = (call, right) => {
      if (call.path === '/v1/models/svc-0.1-echo') return refuse(404, 'unknown_url', 'No such path.')
      const given = right(call)
      return given.status === 404 ? refuse(400, 'no', 'No such model.') : given
    }
    const verdicts = await judgeChat(fault, cases)
    expect(failed(verdicts)).toEqual([])
    const skipped = verdicts.filter(({ outcome }) => outcome === 'not-applicable').map(({ id }) => id)
    expect(skipped).toEqual(['sdk.models-retrieve', 'sdk.not-found-error'])
  })
})
