import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { docPages, readPage } from './src/page-stage.ts'

const ROOT = new URL('..', import.meta.url)
const PAGES = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'cli/README.md', 'sdk/README.md'],
  ...docPages().filter(page => !page.startsWith('docs/decisions/')),
]

/** The tests that run every `bash` block of a page and compare what it prints. */
const RUN_BY: Readonly<Record<string, string>> = {
  'README.md': 'e2e/readme.long.test.ts',
  'docs/tour.md': 'e2e/readme.long.test.ts',
  'docs/authorizations.md': 'e2e/readme.long.test.ts',
  'docs/pay-per-call.md': 'e2e/readme.long.test.ts',
  'docs/clients.md': 'e2e/readme.long.test.ts',
  'docs/cli.md': 'e2e/cli-page.long.test.ts',
  'docs/verifying.md': 'e2e/verifying-page.long.test.ts',
  'docs/webhooks.md': 'e2e/webhooks-page.long.test.ts',
}

type Tried = { readonly by: string; readonly how: string } | { readonly notRun: string }

const STANDBYS: Tried = {
  by: 'e2e/failover.long.test.ts',
  how: 'makes and promotes standbys with these commands and statements on one machine',
}

const RESTORED: Tried = { by: 'e2e/restore.long.test.ts', how: 'runs it in folders of its own' }

/** Every other block of commands, by its first line: which test tries it, or why none does. */
const OTHERS: Readonly<Record<string, Readonly<Record<string, Tried>>>> = {
  'README.md': {
    'npm ci && npm start': { by: 'e2e/start-up.long.test.ts', how: 'starts the service as `npm start` does' },
    'npm ci && npm test': { notRun: 'It is this test run, and `npm ci` comes before it.' },
  },
  'CONTRIBUTING.md': {
    'LONG_SECONDS=600 LONG_CRASHES=200 npm run test:long': {
      notRun: 'It takes a night; CI runs the same tests with shorter lengths.',
    },
  },
  'cli/README.md': {
    'echo "$AGENT_KEY" | batua login --url https://batua.example --agent-key-stdin': {
      notRun: 'Its service and its shop are examples; the test of docs/cli.md runs the same commands.',
    },
  },
  'sdk/README.md': {
    'npm install @batua/sdk': {
      by: 'e2e/sdk-package.long.test.ts',
      how: 'installs the package from its file',
    },
  },
  'docs/agents.md': {
    'eval "$(npm run --silent seed)"': {
      notRun: 'Claude Code needs an account; `seed` is run by e2e/readme.long.test.ts.',
    },
    'npx @modelcontextprotocol/inspector --cli $B/mcp --transport http --header "Authorization: Bearer $BUYER_KEY" \\':
      { by: 'e2e/mcp-inspector.long.test.ts', how: 'runs it as it is written' },
    'claude mcp add --transport http batua http://localhost:8080/mcp': {
      notRun: 'Claude Code needs an account and a browser; e2e/connected-apps.e2e.test.ts is such a client.',
    },
    'claude mcp add --transport http batua https://batua.example/mcp --header "Authorization: Bearer $BATUA_AGENT_KEY"':
      { notRun: 'Claude Code needs an account; e2e/mcp.e2e.test.ts connects with a key.' },
    'claude mcp add batua -- batua mcp': {
      notRun: 'Claude Code needs an account; e2e/mcp-stdio.long.test.ts runs `batua mcp`.',
    },
  },
  'docs/cli.md': {
    'npm pack --workspace cli': { by: 'e2e/cli-page.long.test.ts', how: 'runs it, and installs elsewhere' },
  },
  'docs/configuration.md': configurationOf(
    'OTP_SENDER=http',
    `SMS_HTTP_BODY='{"to":"{phone91}","from":"{sender_id}","entityId":"{entity_id}","templateId":"{template_id}","text":"{text}"}'`,
    'NOTIFY_HTTP_URL=https://messages.example.com/v1/whatsapp',
    `NOTIFY_HTTP_URL='https://api.telegram.org/bot{token}/sendMessage'`,
    'NOTIFY_HTTP_URL=https://hooks.slack.com/services/…',
  ),
  'docs/operations.md': {
    [`psql -c "create role replicator replication login password '…'" -c "create role batua login password '…'"`]:
      {
        notRun:
          'e2e/failover.long.test.ts has one role, without a password; it was tried by hand on PostgreSQL 15, without --config-file.',
      },
    "pg_basebackup -c fast -R -D /var/lib/postgresql/15/main -d 'host=db-a user=replicator application_name=b'":
      STANDBYS,
    "psql -c 'select pg_promote()'  # db-b": STANDBYS,
    "/usr/lib/postgresql/15/bin/pg_rewind -D /var/lib/postgresql/15/main --config-file=/etc/postgresql/15/main/postgresql.conf --source-server='host=db-b user=postgres dbname=postgres' -R":
      {
        notRun:
          'The test of standbys makes the former primary from a copy; it was tried by hand on PostgreSQL 15, without --config-file.',
      },
    'pgbackrest --stanza=batua stanza-create': RESTORED,
    'pg_basebackup -c fast -X none -D /backup/base-$(date +%F)': RESTORED,
    [`   pgbackrest --stanza=batua --type=time --target='2026-11-27 03:12:00+05:30' --target-action=promote restore`]:
      RESTORED,
    '   cp -a /backup/base-2026-11-26 /var/lib/postgresql/15/main': RESTORED,
    '   npm run check-restored -- --checkpoint kept.json --received received.ndjson --later-database postgres://batua@old-host/batua':
      RESTORED,
    'kubectl create secret generic batua --from-literal=MASTER_KEY="$(openssl rand -base64 32)" --from-literal=DATABASE_URL=postgres://…':
      {
        notRun:
          'It needs a cluster and Helm; deploy/helm/chart.test.ts renders the chart and validates its objects.',
      },
  },
  'docs/contributing.md': {
    [`   git archive --format=tar HEAD -- package.json package-lock.json ':(glob)*/package.json' contract mcp outgoing sdk service verification ':(exclude,glob)**/*.test.ts' ':(exclude,glob)**/testing/**' | gzip -9n > deploy/last-release.tar.gz`]:
      {
        notRun:
          'It makes the archive of a release; e2e/rolling-upgrade.long.test.ts runs the one that it made last.',
      },
  },
  'docs/console.md': {
    'HOST=0.0.0.0 BASE_URL=http://192.168.1.7:8080 npm start': {
      by: 'deploy/deploy-files.test.ts',
      how: 'reads the variables as the service does; tests listen on this machine only',
    },
    'npm run -w console dev': {
      notRun: 'It is a server for a person at work; the browser tests open the same sources, built.',
    },
  },
  'docs/testing.md': {
    [`VIEW='phone dark hi' npx vitest run --project browser e2e/console/owner.browser.test.ts`]: {
      notRun: 'All views take more than an hour; CI runs the browser tests in the views that they choose.',
    },
  },
  'docs/verifying.md': {
    'npm run --silent verify -- approval.json --keys keys.json --proof enrolment.json': {
      by: 'e2e/verify-approvals.long.test.ts',
      how: 'runs it with these files, also altered',
    },
  },
}

function configurationOf(...firstLines: readonly string[]): Readonly<Record<string, Tried>> {
  const by = { by: 'deploy/deploy-files.test.ts', how: 'reads it as the service does' }
  return Object.fromEntries(firstLines.map(line => [line, by]))
}

interface Fenced {
  readonly language: string
  readonly lines: readonly string[]
}

function fencedIn(page: string): Fenced[] {
  const found = readPage(page).matchAll(/^ *```([\w-]*)\n(.*?)^ *```$/gms)
  return [...found].map(([, language = '', text = '']) => ({ language, lines: text.trimEnd().split('\n') }))
}

const SHELLS = new Set(['sh', 'shell', 'console', 'zsh'])
const COMMAND =
  /^ *\$? *(?:[A-Z_]+=\S+ +)*(?:npm|npx|node|batua|claude|curl|docker|eval|export|git|psql|sudo)\b/

test('every block of commands on a page is marked as one', () => {
  const unmarked = PAGES.flatMap(page =>
    fencedIn(page)
      .filter(({ language, lines }) => language === '' && lines.some(line => COMMAND.test(line)))
      .map(({ lines }) => `${page}: ${lines[0]}`),
  )
  expect(unmarked).toEqual([])
})

test('every page with blocks that are run as they are has a test that runs them', () => {
  const withBlocks = PAGES.filter(page => fencedIn(page).some(({ language }) => language === 'bash'))
  expect(withBlocks.toSorted()).toEqual(Object.keys(RUN_BY).toSorted())
  for (const [page, file] of Object.entries(RUN_BY)) {
    const source = readFileSync(new URL(file, ROOT), 'utf8')
    expect([file, source.includes(`'${page}'`), source.includes('blocksIn(page)')]).toEqual([
      file,
      true,
      true,
    ])
  }
})

test('every other block of commands is tried by a test, or there is a reason why not', () => {
  const shown = PAGES.flatMap(page =>
    fencedIn(page)
      .filter(({ language }) => SHELLS.has(language))
      .map(({ lines }) => `${page}: ${lines[0]}`),
  )
  const known = Object.entries(OTHERS).flatMap(([page, blocks]) =>
    Object.keys(blocks).map(line => `${page}: ${line}`),
  )
  expect(shown.toSorted()).toEqual(known.toSorted())
  const tests = Object.values(OTHERS)
    .flatMap(blocks => Object.values(blocks))
    .flatMap(tried => ('by' in tried ? [tried.by] : (tried.notRun.match(/e2e\/[\w./-]+\.test\.ts/g) ?? [])))
  expect(tests.filter(file => !existsSync(fileURLToPath(new URL(file, ROOT))))).toEqual([])
})

test('every script of npm that a page names exists', () => {
  const names = (path: string) =>
    Object.keys((JSON.parse(readFileSync(new URL(path, ROOT), 'utf8')) as { scripts: object }).scripts)
  const known = new Set([...names('package.json'), ...names('console/package.json')])
  const unknown = PAGES.flatMap(page =>
    [...readPage(page).matchAll(/\bnpm run (?:--silent |-s |-w \w+ )*([a-z][\w:-]*)/g)]
      .filter(([, name = '']) => !known.has(name))
      .map(([command]) => `${page}: ${command}`),
  )
  expect(unknown).toEqual([])
})
