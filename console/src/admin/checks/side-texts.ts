import type { Format } from '../../language/format.ts'
import { texts } from '../../language/texts.ts'

/** The words in which the service says what the ledger, and what the gateway, has of a movement. */
export const sideTexts = texts({
  en: {
    pending: 'pending',
    completed: 'completed',
    failed: 'failed',
    reversed: 'reversed',
    success: 'success',
    paid: 'paid',
    'not paid': 'not paid',
    refund: 'refund',
    refunded: 'refunded',
    due: 'due',
    sent: 'sent',
    done: 'done',
    order: 'order',
    payment: 'payment',
    chargeback: 'chargeback',
    'charged back': 'charged back',
    'taken back': 'taken back',
    settled: 'settled',
    charges: 'charges',
    fee: 'fee',
    fund: 'funding',
    payout: 'payout',
    out: 'out of the wallet',
    other: 'other method',
    card: 'card',
    upi: 'UPI',
    netbanking: 'net banking',
    none: 'none',
    'movements come to': 'movements come to',
    'in the ledger': 'in the ledger',
    'not in the ledger': 'not in the ledger',
    'in the ledger for another wallet': 'in the ledger for another wallet',
    'no such order': 'no such order',
    'no such refund': 'no such refund',
    'no such funding': 'no such funding',
    'no such payout': 'no such payout',
  },
  hi: {
    pending: 'बाक़ी',
    completed: 'पूरा',
    failed: 'विफल',
    reversed: 'वापस',
    success: 'सफल',
    paid: 'चुकाया',
    'not paid': 'चुकाया नहीं',
    refund: 'रिफ़ंड',
    refunded: 'रिफ़ंड हुआ',
    due: 'देना है',
    sent: 'भेजा',
    done: 'हो गया',
    order: 'ऑर्डर',
    payment: 'भुगतान',
    chargeback: 'चार्जबैक',
    'charged back': 'चार्जबैक हुआ',
    'taken back': 'वापस लिया',
    settled: 'सेटलमेंट',
    charges: 'शुल्क',
    fee: 'शुल्क',
    fund: 'जमा',
    payout: 'निकासी',
    out: 'वॉलेट से बाहर',
    other: 'कोई और तरीक़ा',
    card: 'कार्ड',
    upi: 'UPI',
    netbanking: 'नेट बैंकिंग',
    none: 'नहीं',
    'movements come to': 'लेन-देन का जोड़',
    'in the ledger': 'बही में',
    'not in the ledger': 'बही में नहीं',
    'in the ledger for another wallet': 'बही में किसी और वॉलेट का',
    'no such order': 'ऐसा कोई ऑर्डर नहीं',
    'no such refund': 'ऐसा कोई रिफ़ंड नहीं',
    'no such funding': 'ऐसा कोई जमा नहीं',
    'no such payout': 'ऐसी कोई निकासी नहीं',
  },
})

/** The longest first: `not in the ledger` before `in the ledger`. A word within an id or a reference is none. */
const WORDS = new RegExp(
  String.raw`(?<![\w.])(?:${Object.keys(sideTexts.en)
    .toSorted((one, other) => other.length - one.length)
    .join('|')})(?![\w.])`,
  'g',
)
const AMOUNT = /(?<![\w.])\d+\.\d{2}(?![\w.])/g

/** One side of a difference in the words of a language: `completed 1000.00` is `पूरा ₹1,000.00`. */
export function sideText(text: string, words: Readonly<Record<string, string>>, { amount }: Format): string {
  return text
    .replaceAll(WORDS, word => words[word] ?? word)
    .replaceAll(AMOUNT, rupees => amount(Number(rupees)))
}
