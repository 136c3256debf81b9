// Why the dashboard refuses a request. `routes.ts` answers with it, as a page or as JSON.

export interface ProblemOptions {
  /** The token of the session. With it, the page has its navigation. */
  readonly csrf?: string
  /** Where the operator can continue. */
  readonly link?: { readonly path: string; readonly text: string }
}

export class Problem extends Error {
  readonly status: 401 | 403 | 404 | 409 | 413 | 421 | 500 | 503
  readonly title: string
  readonly options: ProblemOptions

  constructor(status: Problem['status'], title: string, message: string, options: ProblemOptions = {}) {
    super(message)
    this.name = 'Problem'
    this.status = status
    this.title = title
    this.options = options
  }
}
