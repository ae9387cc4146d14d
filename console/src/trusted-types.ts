/**
 * The only policy of Trusted Types. Mantine writes style sheets through `innerHTML`; a text without `<` can make no
 * element, so nothing else passes. The one script address is the service worker's.
 */
export const SERVICE_WORKER = '/console/service-worker.js'

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createHTML(text: string): string | null; createScriptURL(url: string): string | null },
  ): unknown
}

export function setTrustedTypesPolicy(): void {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  trustedTypes?.createPolicy('default', {
    createHTML: text => (text.includes('<') ? null : text),
    createScriptURL: url => (url === SERVICE_WORKER ? url : null),
  })
}
