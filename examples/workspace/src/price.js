/** Tax on a price in cents. */
export function taxOf(price, rate) {
  return (price * rate) / 100;
}

/** What the customer pays, in cents. */
export function total(prices, rate) {
  const net = prices.reduce((sum, price) => sum + price, 0);
  return net + taxOf(net, rate);
}
