/** Joins letters in Hindi and other scripts. Every other invisible character is shown as its code. */
const JOINERS = '\u200c\u200d'
const HIDDEN = new RegExp(`(?![${JOINERS}])[\\p{C}\\p{Zl}\\p{Zp}]`, 'gu')
/** What moves the cursor or hides text but lines and tabs. */
const HIDDEN_IN_LINES = new RegExp(`(?![${JOINERS}\\n\\t])[\\p{C}\\p{Zl}\\p{Zp}]`, 'gu')

/** A text that others wrote as one harmless line: without control, invisible or reordering characters. */
export function printable(text: string): string {
  return text.replaceAll(HIDDEN, escaped)
}

/** The same for text of several lines. */
export function printableLines(text: string): string {
  return text.replaceAll(HIDDEN_IN_LINES, escaped)
}

/** JSON without characters that a terminal would obey; it is parsed to the same value. */
export function printableJson(json: string): string {
  return json.replaceAll(HIDDEN_IN_LINES, character =>
    Array.from({ length: character.length }, (_, at) => unit(character.charCodeAt(at))).join(''),
  )
}

function unit(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}

const SECRET = /\b(agk_live_|sk_live_|whsec_)[\w+/=-]+/g

/** A message without the secrets that a user typed in the wrong place. */
export function withoutSecrets(text: string): string {
  return text.replaceAll(SECRET, '$1…')
}

const WIDTHLESS = /\p{Mn}|\p{Me}|[\u200b-\u200d]/u
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u

/** The columns that a line takes on a terminal. */
export function widthOf(text: string): number {
  let width = 0
  for (const character of text) {
    if (WIDTHLESS.test(character)) continue
    width += WIDE.test(character) ? 2 : 1
  }
  return width
}
