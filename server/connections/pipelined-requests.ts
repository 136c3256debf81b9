// Requests that a client sends before it has the answers to its earlier ones. A single write can contain thousands; if
// all began in one turn of the event loop, no other client would be served in it.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { EarlyAnswer } from './early-answer.ts'

/** How many requests of a connection begin in one turn of the event loop. */
const MOST_A_TURN = 100

type Begin = (incoming: IncomingMessage, outgoing: EarlyAnswer) => void

interface Turn {
  begun: number
  /** The requests for later turns, in their order. While there is one, nothing more is read from the connection. */
  readonly waiting: (() => void)[]
}

/** Returns a listener for requests that begins at most `MOST_A_TURN` of a connection in one turn, in their order. */
export function inTurns(begin: Begin): Begin {
  const turns = new WeakMap<Socket, Turn>()

  function nextTurn(socket: Socket, turn: Turn): void {
    turn.begun = 0
    for (const start of turn.waiting.splice(0, MOST_A_TURN)) {
      turn.begun += 1
      start()
    }
    if (turn.begun === 0) turns.delete(socket)
    else setImmediate(nextTurn, socket, turn)
    if (turn.waiting.length === 0) socket.resume()
  }

  return function beginInTurn(incoming, outgoing) {
    // The answer has the socket if all earlier answers are finished.
    if (outgoing.socket !== null) return begin(incoming, outgoing)
    const { socket } = incoming
    const turn = turns.get(socket) ?? { begun: 0, waiting: [] }
    if (!turns.has(socket)) {
      turns.set(socket, turn)
      setImmediate(nextTurn, socket, turn)
    }
    if (turn.begun < MOST_A_TURN && turn.waiting.length === 0) {
      turn.begun += 1
      return begin(incoming, outgoing)
    }
    socket.pause()
    turn.waiting.push(() => {
      if (!socket.destroyed) begin(incoming, outgoing)
    })
  }
}
