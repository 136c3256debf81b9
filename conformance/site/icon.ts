// The icon of the site: the mark that also stands beside its name.

export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#2b2e33"/><path d="M5 16 11 0h3L8 16z" fill="#d9a735"/></svg>\n`
