/** The icon of the service's pages: a wallet. */
export const FAVICON_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0c6247"/><path d="M8 11.5h15a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H10a2 2 0 0 1-2-2zm0 0A2.5 2.5 0 0 1 10.5 9H21" fill="none" stroke="white" stroke-width="2.2"/><circle cx="20.5" cy="17.5" r="1.6" fill="white"/></svg>'
