import { getRouteApi, lazyRouteComponent } from '@tanstack/react-router'
import { type ComponentType, Suspense } from 'react'
import type { MoneySection } from '../../api/search.ts'
import { Loading } from '../../components/loading.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Sections } from '../../components/sections.tsx'
import { useTexts } from '../../language/language.tsx'
import { moneyTexts } from './texts.ts'

const route = getRouteApi('/owner/money')

const SECTIONS: Readonly<Record<MoneySection, ComponentType>> = {
  balances: lazyRouteComponent(() => import('./balances.tsx'), 'Balances'),
  account: lazyRouteComponent(() => import('./bank-account.tsx'), 'BankAccount'),
  bank: lazyRouteComponent(() => import('./payouts.tsx'), 'Payouts'),
  transactions: lazyRouteComponent(() => import('./transactions.tsx'), 'Transactions'),
}

/** The money of an owner over all agents: what is there, what went to the bank, and everything that moved. */
export function MoneyPage() {
  const t = useTexts(moneyTexts)
  const { section = 'balances' } = route.useSearch()
  const Section = SECTIONS[section]
  return (
    <>
      <PageTitle lead={t.lead}>{t.title}</PageTitle>
      <Sections label={t.title} sections={t.sections} shown={section} />
      <Suspense fallback={<Loading>{t.loading}</Loading>}>
        <Section />
      </Suspense>
    </>
  )
}
