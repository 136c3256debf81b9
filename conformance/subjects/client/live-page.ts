// The live page of `--serve`: every scenario with its address, and its requests as they arrive, over an event stream.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Markup, markup } from '../../../harness/html/markup.ts'
import { renderPage } from '../../../harness/html/page.ts'
import { plural } from '../../report/labels.ts'
import { renderTimeline } from '../../report/timeline.ts'
import { attemptsOf } from './scenario-evidence.ts'
import type { Observed } from './scenario.ts'

/** The most open pages, and how long requests are gathered before they are shown, in milliseconds. */
const MAX_LOOKING = 16
const REFRESH_MS = 150

const SCRIPT = `
new EventSource('/events').addEventListener('message', ({ data }) => {
  const { name, html } = JSON.parse(data)
  const place = document.getElementById(name)
  if (place) place.innerHTML = html
})
`

const STYLE = `
.scenario { padding: .6rem 0; border-top: 1px solid var(--line); }
.scenario h2 { font-size: 1rem; margin: 0; }
.scenario pre { margin: .3rem 0 0; }
`

/** Makes the page, which shows what `observed` returns. */
export function createServePage(observed: () => readonly Observed[]) {
  const looking = new Set<ServerResponse>()
  const dirty = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  function send(): void {
    timer = undefined
    const changed = observed().filter(({ scenario }) => dirty.has(scenario.name))
    dirty.clear()
    for (const one of changed) {
      const data = JSON.stringify({ name: one.scenario.name, html: String(requestsOf(one)) })
      for (const response of looking) response.write(`data: ${data}\n\n`)
    }
  }

  return {
    /** Reports that a scenario has changed. */
    changed(name: string): void {
      dirty.add(name)
      timer ??= setTimeout(send, REFRESH_MS)
    },
    /** Answers `/` and `/events`; returns whether it answered. */
    answer(request: IncomingMessage, response: ServerResponse): boolean {
      if (request.method !== 'GET' || !isOwnHost(request)) return false
      if (request.url === '/events' && looking.size < MAX_LOOKING) {
        response
          .writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
          .write(':\n\n')
        looking.add(response)
        response.on('close', () => looking.delete(response))
        return true
      }
      if (request.url !== '/') return false
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
      response.end(pageOf(observed()))
      return true
    },
    close(): void {
      clearTimeout(timer)
      for (const response of looking) response.end()
    },
  }
}

/** The page shows keys, so it answers under its own host names only: another name may point to this address. */
function isOwnHost({ headers }: IncomingMessage): boolean {
  return /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(headers.host ?? '')
}

function pageOf(all: readonly Observed[]): string {
  const content = markup`<h1>Call each address once</h1>
<p>What was called is judged when the judge is interrupted (Ctrl-C).</p>
${all.map(scenarioOf)}`
  return renderPage({
    title: 'Clients to judge',
    style: STYLE,
    aside: markup`${plural(all.length, 'scenario')}`,
    content,
    script: SCRIPT,
    allowed: ["connect-src 'self'"],
  })
}

function scenarioOf(observed: Observed): Markup {
  const { scenario, baseUrl, key, task } = observed
  return markup`<section class="scenario" aria-labelledby="of-${scenario.name}">
<h2 id="of-${scenario.name}"><code>${baseUrl}</code></h2>
<p class="small quiet">${scenario.checks.map(({ id, title }) => markup`<code>${id}</code> ${title}<br>`)}</p>
<p class="small">Key <code>${key}</code></p>
<details><summary class="small">The expected request</summary><pre>${JSON.stringify(task.request, undefined, 2)}</pre></details>
<div id="${scenario.name}" aria-live="polite">${requestsOf(observed)}</div>
</section>`
}

/** The requests of a scenario so far. */
function requestsOf(observed: Observed): Markup {
  const { attempts, strays } = observed
  if (attempts.length + strays.length === 0) return markup`<p class="small quiet">Not called yet.</p>`
  const [first] = attempts
  const lines = renderTimeline({ attempts: [...attemptsOf(observed)] })
  const alone = first === undefined ? [] : [` 1  at   0.00 s  ${first.reply?.status ?? 'being answered'}`]
  const others = strays.map(({ request }) => `    ${request.method} ${request.path}`)
  return markup`<pre>${[...(lines.length === 0 ? alone : lines), ...others].join('\n')}</pre>`
}
