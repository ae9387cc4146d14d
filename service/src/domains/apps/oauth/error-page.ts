import { hash } from 'node:crypto'

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;box-sizing:border-box}main{max-width:28rem}h1{font-size:1.4rem;line-height:1.25;margin:0 0 .5rem}p{margin:.5rem 0}code{overflow-wrap:anywhere}`

/** What a person reads when a request is so wrong that it cannot be answered to the client. */
export const errorPage = {
  policy: `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  html: (error: string, description = '') => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Not connected</title>
<style>${STYLE}</style>
<main>
<h1>The app cannot be connected</h1>
<p>Its request is not valid, so nothing was allowed. Close this page and start again in the app.</p>
<p lang="hi">ऐप का अनुरोध सही नहीं है, इसलिए कोई अनुमति नहीं दी गई। यह पेज बंद करें और ऐप में फिर से शुरू करें।</p>
<p><code>${escaped(error)}${description === '' ? '' : `: ${escaped(description)}`}</code></p>
</main>
`,
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
