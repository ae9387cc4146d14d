import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import Pdf from 'pdfkit'

/**
 * Noto Sans has Latin, Greek, Cyrillic and Devanagari letters and ₹ in one font. What it lacks is shown as �, so that
 * the reader sees that something is there.
 */
const FONTS = {
  regular: '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf',
  strong: '@expo-google-fonts/noto-sans/600SemiBold/NotoSans_600SemiBold.ttf',
} as const

export type FontName = keyof typeof FONTS

const require = createRequire(import.meta.url)
const fileOf = (name: FontName) => readFileSync(require.resolve(FONTS[name]))

export interface DocumentInfo {
  readonly title: string
  readonly author: string
  readonly createdAt: Date
}

/** Which characters the fonts of a document can show. */
interface Glyphs {
  hasGlyphForCodePoint(codePoint: number): boolean
}

const glyphs = new WeakMap<PDFKit.PDFDocument, Glyphs>()

/** An empty A4 document with both fonts. Its pages are kept until its end, because each names their number. */
export function openDocument({ title, author, createdAt }: DocumentInfo): PDFKit.PDFDocument {
  const document = new Pdf({
    size: 'A4',
    margin: 0,
    bufferPages: true,
    autoFirstPage: false,
    displayTitle: true,
    lang: 'en-IN',
    info: { Title: title, Author: author, CreationDate: createdAt },
  })
  document.registerFont('strong', fileOf('strong')).registerFont('regular', fileOf('regular')).font('regular')
  // pdfkit's types do not declare the font that it parsed.
  const { _font } = document as unknown as { readonly _font: { readonly font: Glyphs } }
  glyphs.set(document, _font.font)
  return document
}

/** A letter that joins or does not join its neighbours, which only scripts such as Devanagari have. */
const JOINERS = /(?<=\p{Script=Devanagari})[\u200C\u200D](?=\p{Script=Devanagari}|$)/gu
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Cn}]|(?![\u200C\u200D])\p{Cf}/gu
const PILED_MARKS = /(\p{M}{4})\p{M}+/gu
const UNKNOWN = '\u{FFFD}'

/**
 * A text of a caller on one line, as the fonts can show it: without line breaks, without characters that turn the
 * direction of what follows, and without towers of accents.
 */
export function printable(document: PDFKit.PDFDocument, text: string): string {
  const kept = text.replaceAll(/\s+/gu, ' ').replaceAll(INVISIBLE, '').replaceAll(PILED_MARKS, '$1').trim()
  const joined = new Set([...kept.matchAll(JOINERS)].map(({ index }) => index))
  const font = glyphs.get(document)
  let result = ''
  let at = 0
  for (const character of kept) {
    const isJoiner = character === '\u200C' || character === '\u200D'
    if (isJoiner) result += joined.has(at) ? character : ''
    else result += font?.hasGlyphForCodePoint(character.codePointAt(0) ?? 0) ? character : UNKNOWN
    at += character.length
  }
  return result
}

const letters = new Intl.Segmenter('hi', { granularity: 'grapheme' })
/** More than the widest line of letters holds. */
const MOST_LETTERS = 200

/** As much of a text as fits into a width at the document's font and size, with … if that is not all. */
export function fitted(document: PDFKit.PDFDocument, text: string, width: number): string {
  if (text.length <= MOST_LETTERS && document.widthOfString(text) <= width) return text
  const parts: string[] = []
  for (const { segment } of letters.segment(text)) if (parts.push(segment) === MOST_LETTERS) break
  let fits = 0
  for (let over = parts.length + 1; over - fits > 1; ) {
    const middle = Math.floor((fits + over) / 2)
    if (document.widthOfString(shortened(parts, middle)) <= width) fits = middle
    else over = middle
  }
  return shortened(parts, fits)
}

function shortened(letters: readonly string[], count: number): string {
  return `${letters.slice(0, count).join('').trimEnd()}…`
}

const inr = new Intl.NumberFormat('en-IN', { style: 'currency', currency: 'INR' })

/** An amount in rupees as it is written in India: ₹1,00,000.00. */
export function amountText(rupees: number): string {
  return inr.format(rupees).replace('-', '−')
}

const day = new Intl.DateTimeFormat('en-IN', { dateStyle: 'medium', timeZone: 'Asia/Kolkata' })
const time = new Intl.DateTimeFormat('en-IN', {
  timeStyle: 'medium',
  hourCycle: 'h23',
  timeZone: 'Asia/Kolkata',
})

export function dayText(moment: Date): string {
  return day.format(moment)
}

export function timeOfDayText(moment: Date): string {
  return time.format(moment)
}
