import { expect, test } from 'vitest'
import { formatOf } from '../../language/format.ts'
import { sideText, sideTexts } from './side-texts.ts'

const inHindi = (text: string) => sideText(text, sideTexts.hi, formatOf('hi'))

test('what the ledger and the gateway have of a movement is said in Hindi, with amounts as India writes them', () => {
  expect(sideText('completed 100000.00', sideTexts.en, formatOf('en'))).toBe('completed ₹1,00,000.00')
  expect(
    [
      'completed 1000.00, in the ledger 900.00',
      'not in the ledger',
      'in the ledger 1000.00 taken back',
      'paid 500.00, refunded',
      'refund due 20.00',
      'upi: fee 12.50',
      '3 movements come to 250.00',
      'settled 250.00, charges 5.00',
      'in the ledger out 5.00, failed 0.00',
      'no such payout',
    ].map(inHindi),
  ).toEqual([
    'पूरा ₹1,000.00, बही में ₹900.00',
    'बही में नहीं',
    'बही में ₹1,000.00 वापस लिया',
    'चुकाया ₹500.00, रिफ़ंड हुआ',
    'रिफ़ंड देना है ₹20.00',
    'UPI: शुल्क ₹12.50',
    '3 लेन-देन का जोड़ ₹250.00',
    'सेटलमेंट ₹250.00, शुल्क ₹5.00',
    'बही में वॉलेट से बाहर ₹5.00, विफल ₹0.00',
    'ऐसी कोई निकासी नहीं',
  ])
})

test('a reference of the bank and another currency stay as they are', () => {
  expect(inHindi('UTR paid123')).toBe('UTR paid123')
  expect(inHindi('paid 500.00 USD')).toBe('चुकाया ₹500.00 USD')
})
