// Why the dashboard refuses a request. `routes.ts` answers with it, as a page or as JSON.

export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: 401 | 403 | 404 | 409 | 413 | 421 | 500 | 503
  readonly title: string
  /** Where the operator can continue. */
  readonly link: { readonly path: string; readonly text: string } | undefined

  constructor(status: Problem['status'], title: string, message: string, link?: Problem['link']) {
    super(message)
    this.status = status
    this.title = title
    this.link = link
  }
}
