import type { PolicyVersion } from '@batua/sdk'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useRead } from '../api/use-read.ts'
import { Card } from '../components/card.tsx'
import { type Column, DataTable } from '../components/data-table.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Moment } from '../components/moment.tsx'
import { Pages } from '../components/pages.tsx'
import { SectionTitle } from '../components/section-title.tsx'
import { componentTexts } from '../components/texts.ts'
import { useFormat, useTexts } from '../language/language.tsx'
import type { SectionProps } from './agent-sections.tsx'
import { agentTexts } from './agent-texts.ts'
import { auditTexts } from './audit/texts.ts'
import { changesTexts } from './change-texts.ts'
import { EditLimits } from './limits/edit-limits.tsx'
import { useLimitName, windowOf } from './limits/limit-name.ts'

type Change = PolicyVersion['changed'][number]

/** The versions of what decides the agent's payments, newest first, and the way to the next one. */
export function Changes({ agent, search: { offset = 0 }, onSearch }: SectionProps) {
  const { agent_id, status } = agent
  const t = useTexts(changesTexts)
  const [isEdited, edit] = useState(false)
  const versions = useRead('listPolicyVersions', { agent_id, limit: 20, offset })
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <SectionTitle hint={t.hint}>{t.title}</SectionTitle>
        <Button variant="default" onClick={() => edit(true)} disabled={status === 'deactivated'}>
          {t.change}
        </Button>
      </Group>
      {isEdited && <EditLimits agent={agent} onClose={() => edit(false)} />}
      <Loaded query={versions} loading={t.loading}>
        {({ versions: list, pagination }) => (
          <>
            <Card flush>
              <Versions versions={list} agentId={agent_id} names={namesOf(list)} />
            </Card>
            <Pages pagination={pagination} onOffset={next => onSearch({ offset: next })} />
          </>
        )}
      </Loaded>
    </Stack>
  )
}

const namesOf = (versions: readonly PolicyVersion[]) =>
  new Map(versions.flatMap(({ payees }) => payees.map(({ agent_id, name }) => [agent_id, name] as const)))

interface VersionsProps {
  readonly versions: readonly PolicyVersion[]
  readonly agentId: string
  /** The names of payees by their ids. */
  readonly names: ReadonlyMap<string, string>
}

function Versions({ versions, agentId, names }: VersionsProps) {
  const t = useTexts(changesTexts)
  const { actors, itself } = useTexts(auditTexts)
  const nameOf = ({ type, id }: PolicyVersion['actor']) => {
    if (id === agentId) return itself
    return isNamed(t.services, id) ? t.services[id] : actors[type]
  }
  const columns: readonly Column<PolicyVersion>[] = [
    { id: 'what', name: t.what, cell: version => <What version={version} names={names} /> },
    { id: 'by', name: t.by, cell: ({ actor }) => nameOf(actor) },
    { id: 'since', name: t.since, cell: ({ effective_at }) => <Moment at={effective_at} /> },
  ]
  return (
    <DataTable
      label={t.title}
      columns={columns}
      rows={versions}
      rowKey={({ policy_version, effective_at }) => `${effective_at} ${policy_version}`}
    />
  )
}

interface WhatProps extends Pick<VersionsProps, 'names'> {
  readonly version: PolicyVersion
}

function What({ version: { changed }, names }: WhatProps) {
  const t = useTexts(changesTexts)
  const { layers } = useTexts(agentTexts)
  const nameOf = useControlName()
  const show = useShown(names)
  // Only the first version of an agent has no tier before it.
  const isFirst = changed.some(({ control, from }) => control === 'tier' && from === null)
  return (
    <Stack gap="xs">
      {isFirst && <Text fw={600}>{t.first}</Text>}
      {changed.map(change => (
        <div key={`${change.layer} ${change.control}`}>
          <Text fw={isFirst ? undefined : 600}>
            {nameOf(change)}:{' '}
            {isFirst ? show(change, change.to) : t.fromTo(show(change, change.from), show(change, change.to))}
          </Text>
          <Text size="sm" c="dimmed">
            {layers[change.layer]}
          </Text>
        </div>
      ))}
    </Stack>
  )
}

function useControlName(): (change: Change) => string {
  const t = useTexts(changesTexts)
  const { controls } = useTexts(agentTexts)
  const limitName = useLimitName()
  return ({ control, layer }) => {
    switch (control) {
      case 'tier':
      case 'allowed_payees':
      case 'blocked_payee_agents':
        return t.controls[control]
      case 'require_escrow_above':
      case 'require_human_approval_above':
        return controls[control]
      default:
        return limitName(control, windowOf(control, layer))
    }
  }
}

/** A value in words. null: the layer sets nothing. */
function useShown(names: VersionsProps['names']): (change: Change, value: Change['to']) => string {
  const t = useTexts(changesTexts)
  const { tiers } = useTexts(componentTexts)
  const format = useFormat()
  return ({ control }, value) => {
    if (control === 'allowed_payees' && (value === null || isNetwork(value))) return t.anyone
    if (control === 'blocked_payee_agents' && value === null) return t.nobody
    if (value === null) return t.noLimit
    if (Array.isArray(value)) {
      return value.length === 0 ? t.nobody : value.map(id => names.get(id) ?? id).join(', ')
    }
    if (typeof value === 'string') return isNamed(tiers, value) ? tiers[value] : value
    return control === 'max_counterparties_per_hour' ? format.number(value) : format.amount(value)
  }
}

function isNetwork(value: Change['to']): boolean {
  return Array.isArray(value) && value.includes('network')
}

function isNamed<Names extends object>(names: Names, name: PropertyKey): name is keyof Names {
  return name in names
}
