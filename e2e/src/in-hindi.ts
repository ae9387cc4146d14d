import { globSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'

/** Texts of the console in both languages, from its catalogues. */
type Text = string | ((...values: unknown[]) => string)
interface Pair {
  readonly en: Text
  readonly hi: Text
}
/** An English text with places for values; what fills them makes the Hindi text. */
interface Template {
  readonly text: string
  readonly pattern: RegExp
  readonly hi: (values: readonly (string | undefined)[]) => string
}

const SOURCES = join(import.meta.dirname, '../../console/src')
const ANY_VALUE = '\u{E100}'
const PLACES = ['\u{E000}', '\u{E001}', '\u{E002}', '\u{E003}']
/** Numbers that no text contains, of the plural form `other`; 1 has a form of its own. */
const NUMBERS = [70_001, 70_002, 70_003, 70_004]
/** The most ways to say one value that are tried. */
const MOST_FOR_A_VALUE = 5
const NO_TEXT = /NaN|undefined|\[object|Invalid/
/** A text with fewer letters around its values fits everything. */
const FEWEST_LETTERS = 2

let find: Promise<Find> | undefined

export interface Speech {
  /** Makes of a page, or a part of it, one on which a test finds by English words what the console says. */
  speaking<Of extends Page | Locator>(of: Of): Of
  /** What the console says for English words. */
  words(english: string): string
}

export const IN_ENGLISH: Speech = { speaking: of => of, words: english => english }

export async function inHindi(): Promise<Speech> {
  find ??= readPairs().then(translator)
  const found = await find
  return { speaking, words: english => found(english, true)[0] ?? english }
  function speaking<Of extends Page | Locator>(of: Of): Of {
    return new Proxy(of, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return (...given: unknown[]) => {
          const result: unknown = value.apply(target, translated(String(name), given, found))
          return isLocator(result) ? speaking(result) : result
        }
      },
    })
  }
}

/** The texts that a page shows in Hindi although they are English: what the console says, and sentences that nobody sent. */
export async function englishIn(page: Page, sent: readonly string[]): Promise<string[]> {
  const pairs = await readPairs()
  const own = new Set(pairs.flatMap(({ en, hi }) => (typeof en === 'string' && en !== hi ? [en] : [])))
  const shown = await page.evaluate<string[]>(`(${WITHOUT_HINDI})()`)
  const longestFirst = sent.toSorted((one, other) => other.length - one.length)
  return shown.filter(text => {
    const rest = longestFirst.reduce((left, part) => left.replaceAll(part, ''), text)
    return own.has(rest.trim()) || /[a-z]{2,} [a-z]{2,}/i.test(rest)
  })
}

/** The texts of a page without a Hindi letter, names for screen readers included; code and messages of the API are not among them. */
const WITHOUT_HINDI = String.raw`() => {
  const found = new Set()
  const note = (text, element) => {
    if (/\p{Script=Devanagari}/u.test(text) || element.closest('script, style, code, pre, textarea, [lang=en], [role=alert]')) return
    if (element.checkVisibility()) found.add(text.replaceAll(/\s+/g, ' ').trim())
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) note(texts.currentNode.data, texts.currentNode.parentElement)
  for (const name of ['aria-label', 'placeholder', 'title', 'alt'])
    for (const element of document.querySelectorAll('[' + name + ']')) note(element.getAttribute(name), element)
  return [...found]
}`

function isLocator(value: unknown): value is Locator {
  return typeof value === 'object' && value !== null && 'boundingBox' in value
}

/** What is said in Hindi: the whole texts, with `ANY_VALUE` for what a test does not name; none: it is no text of the console. */
type Find = (words: string | RegExp, isExact: boolean) => readonly string[]

/** The arguments of a method of Playwright, with what it looks for in Hindi too. */
function translated(method: string, given: readonly unknown[], find: Find): unknown[] {
  const [first, options] = given as [unknown, Record<string, unknown> | undefined]
  const isExact = options?.['exact'] === true
  const either = (words: unknown) =>
    typeof words === 'string' || words instanceof RegExp
      ? eitherOf(words, find(words, isExact), method === 'getByRole', isExact)
      : words
  if (/^getBy(Text|Label|Placeholder|Title|AltText)$/.test(method)) return [either(first), options]
  if (method === 'getByRole') return [first, options && { ...options, name: either(options['name']) }]
  if (method === 'locator') return [first, options && { ...options, hasText: either(options['hasText']) }]
  if (method === 'filter' && isRecord(first)) return [{ ...first, hasText: either(first['hasText']) }]
  if (method === 'selectOption') {
    const label = isRecord(first) ? first['label'] : first
    return typeof label === 'string' ? [[label, ...find(label, true)], options] : [...given]
  }
  return [...given]
}

/** Hindi verbs end a sentence, so the name of a button is often the end of another one: a name is found by its beginning. */
function eitherOf(
  words: string | RegExp,
  found: readonly string[],
  isName: boolean,
  isExact: boolean,
): string | RegExp {
  if (found.length === 0) return words
  const hindi = found.map(asPattern).join('|')
  const english = words instanceof RegExp ? words.source : asPattern(words)
  if (isExact) return new RegExp(`^(?:${hindi}|${english})$`)
  return new RegExp(`${isName ? '^' : ''}(?:${hindi})|${english}`, 'i')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

async function readPairs(): Promise<Pair[]> {
  const files = globSync('**/*texts.ts', { cwd: SOURCES, exclude: ['language/**'] })
  const modules = await Promise.all(files.map(file => import(join(SOURCES, file)) as Promise<unknown>))
  return modules.flatMap(module => Object.values(module as object)).flatMap(pairsOf)
}

function pairsOf(catalogue: unknown): Pair[] {
  if (!isRecord(catalogue) || !isRecord(catalogue['en']) || !isRecord(catalogue['hi'])) return []
  const walk = (en: unknown, hi: unknown): Pair[] =>
    isRecord(en) && isRecord(hi)
      ? Object.keys(en).flatMap(name => walk(en[name], hi[name]))
      : [{ en: en as Text, hi: hi as Text }]
  return walk(catalogue['en'], catalogue['hi'])
}

function translator(pairs: readonly Pair[]): Find {
  const templates = pairs.flatMap(templatesOf)
  const exactly = (words: string) => templates.filter(({ text }) => text === words).map(whole)
  const including = (words: string) =>
    templates.filter(({ text }) => text.toLowerCase().includes(words.toLowerCase())).map(whole)
  /** A text and what the page writes after it. */
  const begun = (words: string) =>
    templates
      .filter(({ text }) => words.startsWith(`${text} `))
      .map(template => whole(template) + words.slice(template.text.length))
  /** A value may itself be a text: the name of a limit in the name of a button. */
  const filled = (words: string, depth = 1): string[] =>
    templates.flatMap(({ pattern, hi }) => {
      const values = pattern.exec(words)?.slice(1)
      if (values === undefined) return []
      const each = values.map(value =>
        value === undefined || depth === 0
          ? [value]
          : [value, ...exactly(value), ...filled(value, depth - 1)],
      )
      return combined(each.map(some => some.slice(0, MOST_FOR_A_VALUE))).map(hi)
    })
  const kept = new Map<string, readonly string[]>()
  return (words, isExact) => {
    const key = `${words} ${isExact}`
    const found = kept.get(key) ?? [...new Set(all(words, isExact))]
    kept.set(key, found)
    return found
  }
  function all(words: string | RegExp, isExact: boolean): string[] {
    if (words instanceof RegExp) {
      const matched = templates.filter(({ text }) => words.test(text)).map(whole)
      return matched.length > 0
        ? matched
        : filled(words.source.replaceAll(/^\^|\$$/g, '').replaceAll('.*', ANY_VALUE))
    }
    const found = [...exactly(words), ...(isExact ? [] : including(words)), ...filled(words)]
    return found.length > 0 ? found : begun(words)
  }
}

/** Every choice of one of each. */
function combined<One>(each: readonly (readonly One[])[]): One[][] {
  return each.reduce<One[][]>(
    (before, some) => before.flatMap(chosen => some.map(one => [...chosen, one])),
    [[]],
  )
}

const whole = ({ hi }: Template): string => hi(PLACES.map(() => ANY_VALUE))

function asPattern(text: string): string {
  return RegExp.escape(text)
    .replaceAll(/70,?001|70,?002|70,?003|70,?004/g, '.*')
    .replaceAll(/[\u{E000}-\u{E100}]/gu, '.*')
}

/** A word, no word, the number 1 or another number for each value of a text. */
const VALUES = combined(PLACES.map((place, index) => [place, '', 1, NUMBERS[index] ?? 0]))

/** What a text can say: of a function, with words and with numbers of both plural forms as values. */
function templatesOf({ en, hi }: Pair): Template[] {
  if (typeof en === 'string' || typeof hi === 'string') {
    const said = String(hi)
    return [{ text: String(en), pattern: new RegExp(`^${RegExp.escape(String(en))}$`), hi: () => said }]
  }
  const found = new Map<string, Template>()
  for (const values of VALUES) {
    const text = called(en, values)
    if (text === null || found.has(text)) continue
    const { source, order } = patternOf(text)
    if (text.replaceAll(/[^a-z]/giu, '').length < FEWEST_LETTERS) continue
    found.set(text, {
      text,
      pattern: new RegExp(`^${source}$`),
      hi: filled => {
        const given = values.map((value, index) => {
          const put = filled[order.indexOf(index)]
          if (put === undefined) return value
          return typeof value === 'number' && put !== ANY_VALUE ? Number(put.replaceAll(',', '')) : put
        })
        return called(hi, given) ?? called(hi, values) ?? ''
      },
    })
  }
  return [...found.values()]
}

function called(text: (...values: unknown[]) => string, values: readonly unknown[]): string | null {
  try {
    const said: unknown = text(...values)
    return typeof said === 'string' && !NO_TEXT.test(said) ? said : null
  } catch {
    return null
  }
}

/** A pattern for a text with values in it, and the order of the values. */
function patternOf(text: string): { readonly source: string; readonly order: readonly number[] } {
  const order: number[] = []
  const source = text
    .split(/([\u{E000}-\u{E003}]|70,?00[1-4])/u)
    .map(part => {
      const index = PLACES.includes(part)
        ? PLACES.indexOf(part)
        : NUMBERS.indexOf(Number(part.replace(',', '')))
      if (index === -1) return RegExp.escape(part)
      order.push(index)
      return PLACES.includes(part) ? '(.+?)' : String.raw`([\d,]+)`
    })
    .join('')
  return { source, order }
}
