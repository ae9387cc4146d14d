/** Markup that may be put into a page unescaped. Only `html` creates it, so text can never become markup. */
export interface Html {
  readonly markup: string
}

type Part = string | number | Html | null | readonly Html[]

/** A template whose values are escaped unless they are markup themselves; null renders nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const markup = strings.reduce((text, string, index) => text + string + render(parts[index] ?? null), '')
  return { markup }
}

/** Markup from our own source code: a style sheet, a drawing. */
export function trusted(markup: string): Html {
  return { markup }
}

export const NOTHING: Html = { markup: '' }

function render(part: Part): string {
  if (part === null) return ''
  if (typeof part === 'string' || typeof part === 'number') return escapeText(String(part))
  return 'markup' in part ? part.markup : part.map(item => item.markup).join('')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, character => ENTITIES[character] ?? '')
}
