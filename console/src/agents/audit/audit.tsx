import type { AuditEntry } from '@batua/sdk'
import { Button, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import type { InputOf } from '../../api/api.tsx'
import { useRead } from '../../api/use-read.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { NothingFound } from '../../components/empty-state.tsx'
import filters from '../../components/filters.module.css'
import { List } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { SectionTitle } from '../../components/section-title.tsx'
import { useTexts } from '../../language/language.tsx'
import type { AgentSearch, SectionProps } from '../agent-sections.tsx'
import { DownloadProof } from './download-proof.tsx'
import { HowToVerify } from './how-to-verify.tsx'
import { auditTexts } from './texts.ts'

type Action = keyof typeof auditTexts.en.actions & NonNullable<InputOf<'listAuditEntries'>['action']>

/** The agent's entries in the log, newest first, each with its proof. */
export function Audit({ agent: { agent_id }, search, onSearch }: SectionProps) {
  const t = useTexts(auditTexts)
  const { from, to, offset = 0 } = search
  const action = isAction(search.action) ? search.action : undefined
  const entries = useRead('listAuditEntries', {
    agent_id,
    ...(action !== undefined && { action }),
    ...(from !== undefined && { from_date: from }),
    ...(to !== undefined && { to_date: to }),
    limit: 20,
    offset,
  })
  const isFiltered = action !== undefined || from !== undefined || to !== undefined
  return (
    <Stack gap="sm">
      <SectionTitle hint={t.hint}>{t.title}</SectionTitle>
      <Filters search={{ action, from, to }} onSearch={onSearch} />
      <List
        query={entries}
        loading={t.loading}
        rows={({ entries: list }) => list}
        empty={
          <NothingFound icon="safety" section="audit">
            {isFiltered ? t.noneSuch : t.none}
          </NothingFound>
        }
        onOffset={next => onSearch({ action, from, to, offset: next })}
      >
        {list => <Entries entries={list} agentId={agent_id} />}
      </List>
      <HowToVerify files="proof-aud_….json" />
    </Stack>
  )
}

function isAction(name: string | undefined): name is Action {
  return name !== undefined && name in auditTexts.en.actions
}

function Filters({ search, onSearch }: Pick<SectionProps, 'search' | 'onSearch'>) {
  const t = useTexts(auditTexts)
  const set = (change: AgentSearch) => onSearch({ ...search, ...change })
  const isFiltered = Object.values(search).some(value => value !== undefined)
  return (
    <div role="search" className={filters.filters}>
      <NativeSelect
        label={t.action}
        value={search.action ?? ''}
        data={[
          { value: '', label: t.allActions },
          ...Object.entries(t.actions).map(([value, label]) => ({ value, label })),
        ]}
        onChange={event => set({ action: event.currentTarget.value || undefined })}
      />
      <TextInput
        type="date"
        label={t.from}
        value={search.from ?? ''}
        onChange={event => set({ from: event.currentTarget.value || undefined })}
      />
      <TextInput
        type="date"
        label={t.to}
        value={search.to ?? ''}
        onChange={event => set({ to: event.currentTarget.value || undefined })}
      />
      {isFiltered && (
        <Button variant="default" onClick={() => onSearch({})}>
          {t.clear}
        </Button>
      )}
    </div>
  )
}

interface EntriesProps {
  readonly entries: readonly AuditEntry[]
  readonly agentId: string
}

function Entries({ entries, agentId }: EntriesProps) {
  const t = useTexts(auditTexts)
  const whatOf = ({ action }: AuditEntry) => (isAction(action) ? t.actions[action] : action)
  const columns: readonly Column<AuditEntry>[] = [
    { id: 'what', name: t.action, cell: entry => <What what={whatOf(entry)} entry={entry} /> },
    {
      id: 'actor',
      name: t.actor,
      cell: ({ actor }) => (actor.id === agentId ? t.itself : (actor.name ?? t.actors[actor.type])),
    },
    { id: 'at', name: t.at, cell: ({ created_at }) => <Moment at={created_at} /> },
    {
      id: 'act',
      name: t.act,
      align: 'end',
      cell: entry => (
        <DownloadProof auditId={entry.audit_id} label={t.downloadOne(whatOf(entry), entry.target)} />
      ),
    },
  ]
  return <DataTable label={t.title} columns={columns} rows={entries} rowKey={({ audit_id }) => audit_id} />
}

function What({ what, entry }: { readonly what: string; readonly entry: AuditEntry }) {
  return (
    <Stack gap={0}>
      <Text fw={600}>{what}</Text>
      <Text size="sm" c="dimmed">
        {detailOf(entry) ?? entry.target}
      </Text>
    </Stack>
  )
}

/** What an entry says that has no target to look up; null: its target says it. */
function detailOf({ action, data }: AuditEntry): ReactNode {
  const { method, host, from, calls } = { ...data }
  if (action === 'page.requested') return `${String(method)} ${String(host)}`
  if (action !== 'app.used') return null
  const counts = Object.entries({ ...Object(calls) }).map(([tool, count]) => `${tool} ${String(count)}`)
  return (
    <>
      <Moment at={String(from)} />: {counts.join(', ')}
    </>
  )
}
