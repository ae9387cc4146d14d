/** What running code may not survive; the target of the statement is the first group, where it matters. */
const BREAKING: readonly (readonly [what: string, statement: RegExp])[] = [
  ['drops something', /^drop\b/],
  ['drops something', /^alter table (?:if exists )?(?:only )?(\w+) .*?\bdrop (?!not null)/],
  ['renames something', /^alter \w+ (?:if exists )?(?:only )?(\w+) .*?\brename\b/],
  [
    'changes a type',
    /^alter table (?:if exists )?(?:only )?(\w+) .*?\balter (?:column )?\w+ (?:set data )?type\b/,
  ],
  ['requires a value', /^alter table (?:if exists )?(?:only )?(\w+) .*?\bset not null\b/],
  [
    'adds a column that old code leaves out',
    /^alter table (?:if exists )?(?:only )?(\w+) .*?\badd (?:column )?(?:if not exists )?\w+ (?![^,]*\bdefault\b)[^,]*\bnot null\b/,
  ],
  [
    'adds a constraint',
    /^alter table (?:if exists )?(?:only )?(\w+) .*?\badd (?:constraint|check|unique|primary|foreign|exclude)\b/,
  ],
  ['adds a constraint', /^create unique index .*? on (?:only )?(\w+)/],
  ['acts on what old code writes', /^create (?:constraint )?(?:trigger|rule|policy) .*? (?:on|to) (\w+)/],
  ['replaces something', /^create or replace\b/],
  ['changes a type', /^alter (?:type|domain|function|view|sequence)\b/],
  ['empties a table', /^truncate\b/],
]

/**
 * The statements of migrations that code of before them may not survive, each with the reason. What the same migrations
 * create is not known to that code. These are patterns, no parser: they are for whom writes a migration, and the test of
 * rolling upgrades runs it.
 */
export function breakingStatements(migrations: readonly string[]): string[] {
  const statements = migrations.flatMap(statementsOf)
  const made = new Set(
    statements.flatMap(text => /^create table (?:if not exists )?(\w+)/.exec(text)?.[1] ?? []),
  )
  return statements.flatMap(text => {
    const found = BREAKING.find(([, pattern]) => {
      const match = pattern.exec(text)
      return match !== null && !made.has(match[1] ?? '')
    })
    return found === undefined ? [] : [`${found[0]}: ${text}`]
  })
}

/** Comments, and texts between quotes or dollars, whichever begins first. */
const NOT_STATEMENTS = /--[^\n]*|\/\*.*?\*\/|'(?:[^']|'')*'|(\$\w*\$).*?\1/gs

/** In lower case and on one line, without comments, texts and the bodies of functions. */
function statementsOf(sql: string): string[] {
  return sql
    .replaceAll(NOT_STATEMENTS, found => (/^[-/]/.test(found) ? '' : "''"))
    .split(';')
    .map(text => text.replaceAll(/\s+/g, ' ').trim().toLowerCase())
    .filter(text => text !== '')
}
