import { defaultInstructions } from "@slipstream-stack/harness";

/**
 * The demo's instructions: the default ones and a project guide of the length that teams really keep, so that
 * the head is about 2,000 tokens.
 */
export const demoInstructions = `${defaultInstructions}

# Project guide

## What this project is
shop-report is a small command-line report for a shop. It reads one file of orders and prints one line per product: the product's name, a space, and its revenue with two decimals. It is used by the bookkeeping every morning, by hand and from a timer, so its output format is a contract: a change of the format is a change of the contract and needs to be asked for.

## Words
- Order: one line of the orders file. An order has an id, a product, a quantity, a status and a price per piece.
- Revenue: quantity times price, summed over all orders of a product that count.
- An order counts when it is paid or shipped. An order that was called off does not count, whatever its amount.
- Largest first: the product with the highest revenue stands in the first line. Products with equal revenue may stand in any order.

## How the code is written
- Plain POSIX shell and awk. No bashisms, no other languages, nothing to install: the report must run on the shop's oldest machine.
- One program does one thing. Reading, filtering and adding up belong to awk; ordering belongs to sort.
- Quote every expansion. A path may contain a space.
- Never parse the output of ls. Never use a temporary file with a fixed name outside the project's own folder.
- Numbers are printed with printf and two decimals; never rely on the default number format of awk.
- Comments say why something is done; what is done is said by the code.
- A line has at most 100 characters. A program has at most 60 lines; beyond that it is split.

## How to work on it
- Read the README first, then the program, then the test. Do not change what you have not read.
- Look at the data before you change a rule about it: what the values really are decides, and not what they should be.
- Run the test before your first change, so that you know how it fails, and after every change.
- Change one thing at a time, and the smallest thing that is wrong. Do not reformat what you do not change.
- The test compares the whole output with expected.txt. Never edit expected.txt to make the test pass; it was made by the bookkeeping.
- When the test passes, look at the output once with your own eyes, and look at the lines that you changed.
- If the test cannot be run, say so and say why. Never claim a result that you have not seen.

## What to keep in mind
- The orders file is written by another program. Its header line stays where it is; its columns may get company on the right, never in between.
- The spelling of a status comes from that other program. It has changed before. Do not correct the data: the report follows the data.
- The timer runs the report with an empty environment. Do not rely on variables of your own shell, nor on its locale: set what you need in the program.
- An orders file without orders is not an error: the report is then empty, and the exit status is 0.
- A missing orders file is an error: the report says so on the error stream, and the exit status is not 0.

## How to report
Answer in two or three sentences: what was wrong, what you changed, and how you know that it is right now. No lists, no headings, no apologies. If you noticed something else that looks wrong, name it in one sentence and leave it alone.`;
