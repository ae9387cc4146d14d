import type { CheckList } from '@batua/sdk'
import { Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useRead } from '../../api/use-read.ts'
import { Card } from '../../components/card.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Facts } from '../../components/facts.tsx'
import { Icon } from '../../components/icon.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Moment } from '../../components/moment.tsx'
import notice from '../../components/notice.module.css'
import { PageTitle } from '../../components/page-title.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import { CheckSections } from './check-sections.tsx'
import classes from './checks.module.css'
import { checksTexts } from './texts.ts'

type Check = CheckList['checks'][number]
type Finding = Check['findings'][number]

const POLL_MS = 15_000

/** Where the checks of ledger, log and gateway are, and what they found. */
export function ChecksPage() {
  const t = useTexts(checksTexts)
  const checks = useRead('listChecks', {}, { everyMs: POLL_MS })
  return (
    <>
      <PageTitle lead={t.lead}>{t.title}</PageTitle>
      <CheckSections />
      <Loaded query={checks} loading={t.loading}>
        {({ checks: list }) => (
          <Stack gap="xl">
            <Verdict checks={list} />
            <div className={classes.checks}>
              {list.map(check => (
                <CheckCard key={check.check} check={check} />
              ))}
            </div>
            {list.map(check => check.findings.length > 0 && <Findings key={check.check} check={check} />)}
          </Stack>
        )}
      </Loaded>
    </>
  )
}

function Verdict({ checks }: { readonly checks: readonly Check[] }) {
  const t = useTexts(checksTexts)
  const open = checks.reduce((sum, { open_findings }) => sum + open_findings, 0)
  if (open === 0 && checks.some(({ finished_at }) => finished_at === null)) return null
  return (
    <div role="status" className={notice['notice']} {...(open === 0 ? {} : { 'data-kind': 'bad' })}>
      <Icon name={open === 0 ? 'check' : 'warning'} />
      <Text>{open === 0 ? t.faultless : t.faulty(open)}</Text>
    </div>
  )
}

function CheckCard({ check }: { readonly check: Check }) {
  const t = useTexts(checksTexts)
  const { number } = useFormat()
  const { check: name, running, started_at, finished_at, open_findings } = check
  const moment = (at: string | null) => (at === null ? t.never : <Moment at={at} />)
  return (
    <Card label={t.names[name]}>
      <Title order={2}>{t.names[name]}</Title>
      <Text c="dimmed" mb="md">
        {t.hints[name]}
      </Text>
      <Facts
        facts={[
          [t.findings, open_findings === 0 ? t.none : number(open_findings)],
          [t.round, running ? t.isRunning : t.waits],
          [t.began, moment(started_at)],
          [t.ended, moment(finished_at)],
        ]}
      />
      {name === 'reconciliation' && open_findings > 0 && (
        <Text mt="md">
          <Link to="/admin/checks/reconciliation">{t.toDifferences}</Link>
        </Text>
      )}
    </Card>
  )
}

function Findings({ check: { check, findings, open_findings } }: { readonly check: Check }) {
  const t = useTexts(checksTexts)
  const title = `${t.names[check]}: ${t.findings}`
  const columns: readonly Column<Finding>[] = [
    { id: 'kind', name: t.kind, cell: ({ kind }) => <strong>{kind}</strong> },
    { id: 'subject', name: t.subject, cell: ({ subject }) => subject },
    { id: 'detail', name: t.detail, cell: ({ detail }) => <span lang="en">{detail}</span> },
    { id: 'found', name: t.found, cell: ({ found_at }) => <Moment at={found_at} /> },
  ]
  return (
    <section>
      <Title order={2} mb="sm">
        {title}
      </Title>
      {findings.length < open_findings && (
        <Text c="dimmed" mb="sm">
          {t.first(findings.length, open_findings)}
        </Text>
      )}
      <Card flush>
        <DataTable
          label={title}
          columns={columns}
          rows={findings}
          rowKey={({ subject, kind }) => `${subject} ${kind}`}
        />
      </Card>
    </section>
  )
}
