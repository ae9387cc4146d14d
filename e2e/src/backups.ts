import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PostgresFolder, PostgresServer } from './postgres-server.ts'

/** A way to take a backup of a server and to restore it to a moment. */
export interface Backups {
  readonly name: string
  /** The command that stores a file of the write-ahead log (WAL) away from the server. */
  readonly archiveCommand: string
  /** Before the first backup. */
  prepare(source: PostgresServer): Promise<void>
  backUp(source: PostgresServer): Promise<void>
  /** Into an empty folder; the server that is started there ends its recovery at the moment. */
  restore(data: string, moment: string): Promise<void>
}

/** Debian's package `pgbackrest`. */
const PGBACKREST = '/usr/bin/pgbackrest'

/** The ways that this machine has. */
export function backupsIn(folder: PostgresFolder): readonly Backups[] {
  const plain = openPlain(folder)
  return existsSync(PGBACKREST) ? [plain, openPgBackRest(folder)] : [plain]
}

/** `pg_basebackup`, and a copy of each file of the WAL. */
function openPlain({ path, run }: PostgresFolder): Backups {
  const archive = join(path, 'archive')
  const base = join(path, 'base')
  return {
    name: 'pg_basebackup',
    archiveCommand: `test ! -f ${archive}/%f && cp %p ${archive}/%f.part && mv ${archive}/%f.part ${archive}/%f`,
    async prepare() {
      await run('mkdir', [archive])
    },
    async backUp({ port }) {
      const from = ['-h', '127.0.0.1', '-p', String(port), '-U', 'batua']
      await run('pg_basebackup', [...from, '-c', 'fast', '-X', 'none', '--no-manifest', '-D', base])
    },
    async restore(data, moment) {
      await run('cp', ['-a', base, data])
      const settings = [
        `restore_command = 'cp ${archive}/%f %p'`,
        `recovery_target_time = '${moment}'`,
        `recovery_target_action = 'promote'`,
      ]
      appendFileSync(join(data, 'postgresql.auto.conf'), `${settings.join('\n')}\n`)
      await run('touch', [join(data, 'recovery.signal')])
    },
  }
}

function openPgBackRest({ path, run }: PostgresFolder): Backups {
  const file = join(path, 'pgbackrest.conf')
  const pgBackRest = (args: readonly string[]) => run(PGBACKREST, [...ofStanza(file), ...args])
  return {
    name: 'pgBackRest',
    archiveCommand: [PGBACKREST, ...ofStanza(file), 'archive-push', '%p'].join(' '),
    async prepare({ data, port }) {
      const folders = ['repo', 'lock', 'spool'].map(name => join(path, name))
      await run('mkdir', folders)
      const [repo, lock, spool] = folders
      const settings = [
        '[global]',
        `repo1-path=${repo}`,
        `lock-path=${lock}`,
        `spool-path=${spool}`,
        'log-level-file=off',
        'log-level-console=error',
        'start-fast=y',
        '[batua]',
        `pg1-path=${data}`,
        `pg1-port=${port}`,
        `pg1-socket-path=${path}`,
        'pg1-user=batua',
        'pg1-database=postgres',
      ]
      writeFileSync(file, `${settings.join('\n')}\n`)
      await pgBackRest(['stanza-create'])
      await pgBackRest(['check'])
    },
    async backUp() {
      await pgBackRest(['--type=full', 'backup'])
    },
    async restore(data, moment) {
      await run('mkdir', ['-m', '700', data])
      const until = ['--type=time', `--target=${moment}`, '--target-action=promote']
      await pgBackRest([`--pg1-path=${data}`, ...until, 'restore'])
    },
  }
}

const ofStanza = (file: string): readonly string[] => [`--config=${file}`, '--stanza=batua']
