// Limits of all workers of one machine, exact: the primary process counts, and each worker asks it. The questions of a
// worker within one turn of the event loop are one message.
import type { Worker } from 'node:cluster'
import type { RequestLimit } from '../keys/key-store.ts'
import { createMemoryRateLimiter, once } from '../limits/memory.ts'
import type { LimitState, RateLimiter, Release } from '../limits/rate-limiter.ts'

type Question =
  | readonly ['consume', keyId: string, limit: RequestLimit]
  | readonly ['tokens', keyId: string, perMinute: number]
  | readonly ['reserve', keyId: string, perMinute: number, tokens: number]
  | readonly ['charge', keyId: string, perMinute: number, tokens: number]
  | readonly ['acquire', keyId: string, most: number]
  | readonly ['release', slot: number]

/** A slot is identified by the number of its question; false if all slots are taken. */
type Reply = LimitState | boolean

interface Questions {
  readonly type: 'limits-asked'
  readonly questions: readonly (readonly [id: number, question: Question])[]
}

interface Replies {
  readonly type: 'limits-answered'
  readonly replies: readonly (readonly [id: number, reply: Reply])[]
}

/**
 * In the primary: counts for all workers. The returned function answers a worker from now on; what the worker holds is
 * free when it ends.
 */
export function createSharedLimits(): (worker: Worker) => void {
  const limiter = createMemoryRateLimiter()

  return function serve(worker) {
    const slots = new Map<number, Release>()

    function replyTo(id: number, question: Question): Reply {
      switch (question[0]) {
        case 'consume':
          return limiter.consume(question[1], question[2])
        case 'tokens':
          return limiter.tokens(question[1], question[2])
        case 'reserve':
          return limiter.reserve(question[1], question[2], question[3])
        case 'charge':
          limiter.charge(question[1], question[2], question[3])
          return true
        case 'acquire': {
          const release = limiter.acquire(question[1], question[2])
          if (release !== undefined) slots.set(id, release)
          return release !== undefined
        }
        case 'release':
          slots.get(question[1])?.()
          return slots.delete(question[1])
      }
    }

    worker.on('message', (message: unknown) => {
      if (!isOfType<Questions>(message, 'limits-asked')) return
      const replies = message.questions.map(([id, question]) => [id, replyTo(id, question)] as const)
      // One that has just ended hears nothing: its `exit` comes then.
      if (worker.isConnected()) worker.send({ type: 'limits-answered', replies } satisfies Replies, () => {})
    })
    worker.on('exit', () => {
      for (const release of slots.values()) release()
      slots.clear()
    })
  }
}

/** In a worker: asks the primary process. The worker ends if the primary has ended. */
export function createWorkerRateLimiter(): RateLimiter {
  let lastId = 0
  let batch: [number, Question][] = []
  const waiting = new Map<number, (reply: Reply) => void>()

  function flush(): void {
    const questions = batch
    batch = []
    // If the primary has ended, the message is lost and this worker ends.
    process.send?.({ type: 'limits-asked', questions } satisfies Questions, undefined, undefined, () => {})
  }

  function ask(question: Question): { readonly id: number; readonly reply: Promise<Reply> } {
    const id = (lastId += 1)
    if (batch.length === 0) setImmediate(flush)
    batch.push([id, question])
    return { id, reply: new Promise((resolve) => waiting.set(id, resolve)) }
  }

  async function askState(question: Question): Promise<LimitState> {
    const reply = await ask(question).reply
    if (typeof reply === 'boolean') throw new TypeError(`the primary gave no state for '${question[0]}'`)
    return reply
  }

  process.on('message', (message: unknown) => {
    if (!isOfType<Replies>(message, 'limits-answered')) return
    for (const [id, reply] of message.replies) {
      waiting.get(id)?.(reply)
      waiting.delete(id)
    }
  })

  return {
    consume: (keyId, { requests, windowSeconds }) =>
      askState(['consume', keyId, { requests, windowSeconds }]),
    tokens: (keyId, perMinute) => askState(['tokens', keyId, perMinute]),
    reserve: (keyId, perMinute, tokens) => askState(['reserve', keyId, perMinute, tokens]),
    async charge(keyId, perMinute, tokens) {
      await ask(['charge', keyId, perMinute, tokens]).reply
    },
    async acquire(keyId, most) {
      const { id, reply } = ask(['acquire', keyId, most])
      return (await reply) === true ? once(() => void ask(['release', id])) : undefined
    },
    scope: () => 'instance',
    close: async () => {},
  }
}

function isOfType<Message extends { readonly type: string }>(
  value: unknown,
  type: Message['type'],
): value is Message {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === type
}
