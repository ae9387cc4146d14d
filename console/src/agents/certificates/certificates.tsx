import type { Certificate } from '@batua/sdk'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useRead } from '../../api/use-read.ts'
import { Choice } from '../../components/choice.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { NothingFound } from '../../components/empty-state.tsx'
import { List } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { SectionTitle } from '../../components/section-title.tsx'
import { Status } from '../../components/status.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import type { SectionProps } from '../agent-sections.tsx'
import { IssueCertificate } from './issue-certificate.tsx'
import { Replace, Revoke } from './replace-or-revoke.tsx'
import { certificatesTexts } from './texts.ts'

/** The certificates of an agent, each to be replaced or revoked, and a new one. */
export function Certificates({ agent, search: { status, offset = 0 }, onSearch }: SectionProps) {
  const t = useTexts(certificatesTexts)
  const [isIssued, issue] = useState(false)
  const { agent_id } = agent
  const filter = status === undefined ? {} : { status }
  const certificates = useRead('listCertificates', { agent_id, ...filter, limit: 20, offset })
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <SectionTitle hint={t.hint}>{t.title}</SectionTitle>
        <Button variant="default" disabled={agent.status === 'deactivated'} onClick={() => issue(true)}>
          {t.issue}
        </Button>
      </Group>
      <Choice
        label={t.filter}
        value={status ?? 'all'}
        options={{ all: t.all, active: t.active, revoked: t.revoked, expired: t.expired }}
        onChange={chosen => onSearch(chosen === 'all' ? {} : { status: chosen })}
      />
      <List
        query={certificates}
        loading={t.loading}
        rows={({ certificates: list }) => list}
        empty={
          <NothingFound icon="safety" section="certificates">
            {t.none}
          </NothingFound>
        }
        onOffset={next => onSearch({ status, offset: next })}
      >
        {list => <CertificateTable certificates={list} />}
      </List>
      {isIssued && <IssueCertificate agentId={agent_id} onClose={() => issue(false)} />}
    </Stack>
  )
}

function CertificateTable({ certificates }: { readonly certificates: readonly Certificate[] }) {
  const t = useTexts(certificatesTexts)
  const format = useFormat()
  const columns: readonly Column<Certificate>[] = [
    { id: 'certificate', name: t.certificate, cell: certificate => <Name certificate={certificate} /> },
    {
      id: 'says',
      name: t.says,
      cell: ({ capabilities }) => capabilities.map(each => t.capabilities[each]).join(', '),
    },
    { id: 'status', name: t.status, cell: certificate => <State certificate={certificate} /> },
    {
      id: 'expires',
      name: t.expires,
      cell: ({ expires_at }) => <span className="figures">{format.date(expires_at)}</span>,
    },
    { id: 'act', name: t.act, align: 'end', cell: certificate => <Acts certificate={certificate} /> },
  ]
  return <DataTable label={t.title} columns={columns} rows={certificates} rowKey={({ id }) => id} />
}

function Name({ certificate: { id, subject } }: { readonly certificate: Certificate }) {
  return (
    <Stack gap={0}>
      <Text fw={600}>{subject}</Text>
      <Text size="sm" c="dimmed">
        {id}
      </Text>
    </Stack>
  )
}

function State({
  certificate: { status, revoked_at, revocation_reason },
}: {
  readonly certificate: Certificate
}) {
  const t = useTexts(certificatesTexts)
  return (
    <Stack gap={2} align="start">
      <Status is={status} />
      {revoked_at !== null && (
        <Text size="sm" c="dimmed">
          {t.since} <Moment at={revoked_at} />
          {revocation_reason !== null && `: ${revocation_reason}`}
        </Text>
      )}
    </Stack>
  )
}

/** An expired certificate can be revoked too; a revoked one stays as it is. */
function Acts({ certificate }: { readonly certificate: Certificate }) {
  if (certificate.status === 'revoked') return '–'
  return (
    <Group gap="xs" justify="flex-end">
      <Replace certificateId={certificate.id} />
      <Revoke certificateId={certificate.id} />
    </Group>
  )
}
