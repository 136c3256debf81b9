// The model of requests is one that the gateway lists, also if it starts to listen after the judge has requested the list.
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { createGateway } from '../../../fixtures/faulty-gateways/gateway.ts'
import { goodHabits } from '../../../fixtures/faulty-gateways/habits.ts'
import { listening } from '../../../harness/http-server.fixture.ts'
import { createRedactor } from '../../../harness/redact.ts'
import { judgeGateway } from './judge.ts'
import { startUpstream } from './upstream.ts'

test.each([0, 1])('%d lost questions for the list', async (lost) => {
  const upstream = await startUpstream(0)
  const handle = createGateway(goodHabits)
  let asked = 0
  await using gateway = await listening(
    createServer((request, response) => {
      if (request.url === '/v1/models' && (asked += 1) <= lost) request.socket.destroy()
      else void handle(request, response, { url: upstream.origin, key: 'sk-upstream' })
    }),
  )
  const options = { baseUrl: gateway.baseUrl, upstream, only: 'gate.any-request', runs: 1, seed: 1 }
  const { target } = await judgeGateway(options, createRedactor())
  expect([target.model, asked]).toEqual(['through-the-gateway', lost + 1])
})
