import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useRead } from '../api/use-read.ts'
import { Amount } from '../components/amount.tsx'
import { Card } from '../components/card.tsx'
import { type Column, DataTable } from '../components/data-table.tsx'
import { Loaded } from '../components/loaded.tsx'
import { PageTitle } from '../components/page-title.tsx'
import { componentTexts } from '../components/texts.ts'
import { useTexts } from '../language/language.tsx'
import { EditTier, type ListedTier, TIER_LIMITS } from './edit-tier.tsx'
import { Back } from './links.tsx'
import { ownersTexts } from './owners/texts.ts'
import { adminTexts } from './texts.ts'
import { tiersTexts } from './tier-texts.ts'

/** The limits of the four tiers. */
export function TiersPage() {
  const t = useTexts(tiersTexts)
  const { back } = useTexts(ownersTexts)
  const tiers = useRead('listTiers', {})
  const [editing, edit] = useState<ListedTier | null>(null)
  return (
    <>
      <Back to="/admin/owners">{back}</Back>
      <PageTitle lead={t.lead}>{t.title}</PageTitle>
      <Loaded query={tiers} loading={t.loading}>
        {({ tiers: list }) => <Tiers tiers={list} onEdit={edit} />}
      </Loaded>
      {editing !== null && <EditTier tier={editing} onClose={() => edit(null)} />}
    </>
  )
}

interface TiersProps {
  readonly tiers: readonly ListedTier[]
  readonly onEdit: (tier: ListedTier) => void
}

function Tiers({ tiers, onEdit }: TiersProps) {
  const t = useTexts(tiersTexts)
  const common = useTexts(adminTexts)
  const { tiers: names } = useTexts(componentTexts)
  const columns: readonly Column<ListedTier>[] = [
    { id: 'tier', name: common.tier, cell: ({ tier }) => <strong>{names[tier]}</strong> },
    ...TIER_LIMITS.map(
      (limit): Column<ListedTier> => ({
        id: limit,
        name: t.limits[limit],
        align: 'end',
        cell: tier => <Amount rupees={tier[limit]} />,
      }),
    ),
    { id: 'owners', name: t.owners, align: 'end', cell: tier => <Owners tier={tier} /> },
    {
      id: 'act',
      name: t.change,
      align: 'end',
      cell: tier => (
        <Button
          size="sm"
          variant="default"
          aria-label={t.changeOne(names[tier.tier])}
          onClick={() => onEdit(tier)}
        >
          {t.change}
        </Button>
      ),
    },
  ]
  return (
    <Card flush>
      <DataTable label={t.title} columns={columns} rows={tiers} rowKey={({ tier }) => tier} />
    </Card>
  )
}

function Owners({ tier: { tier, owners } }: { readonly tier: ListedTier }) {
  const t = useTexts(tiersTexts)
  return (
    <Link to="/admin/owners" search={{ tier }}>
      {t.ownersOf(owners)}
    </Link>
  )
}
