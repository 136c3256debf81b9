// A program that gets a signal to stop while it waits for an answer or receives one (READ-11).
import {
  ROLE,
  chunksWith,
  recordsOf,
  streamReply,
} from '../../../../harness/scripted-service/scripted-answers.ts'
import { type Asked, type Reply, silent } from '../../../../harness/scripted-service/scripted-reply.ts'
import { scenario, type Scenario, STOP_GRACE_MS } from '../scenario.ts'
import { closesWhenStopped } from '../verify/call-course.ts'

/** The time limit for closing the connection, in milliseconds. */
const CLOSE_MS = 3_000

function endless(asked: Asked): Reply {
  const chunks = chunksWith(asked, [ROLE, { content: 'and on ' }])
  return streamReply(recordsOf(chunks).slice(0, -2), 'endless')
}

function stopped(name: string, title: string, stop: 'SIGINT' | 'SIGTERM', stream: boolean): Scenario {
  return scenario(`read.${name}`, 'READ-11', title)
    .with({
      requested: { stream },
      stop,
      boundMs: STOP_GRACE_MS,
      script: [(asked) => (asked.stream ? endless : silent)(asked)],
    })
    .verify((observed) => closesWhenStopped(observed, CLOSE_MS))
}

export const scenarios: readonly Scenario[] = [
  stopped('stop-streamed', 'SIGINT while a stream comes closes the connection', 'SIGINT', true),
  stopped('stop-streamed-term', 'SIGTERM while a stream comes closes the connection', 'SIGTERM', true),
  stopped('stop-waiting', 'SIGINT while the answer is waited for closes the connection', 'SIGINT', false),
]
