// SPDX-License-Identifier: Apache-2.0
import java.util.Random;

/**
 * Writes test/data/java_floats: the bits of doubles (D) and floats (F) and the text Java 19 or later has for them.
 * Run from the root of the tree: java tools/JavaFloats.java > test/data/java_floats
 */
public class JavaFloats {
    private static final Random RANDOM = new Random(20261130);

    private static void print(double x) {
        if (Double.isFinite(x))
            System.out.printf("D\t%016x\t%s%n", Double.doubleToRawLongBits(x), x);
    }

    private static void print(float x) {
        if (Float.isFinite(x))
            System.out.printf("F\t%08x\t%s%n", Float.floatToRawIntBits(x), x);
    }

    public static void main(String[] arguments) {
        System.out.println("# Made by tools/JavaFloats.java with Java " + Runtime.version().feature() + ".");
        for (int i = 0; i < 150; i++) {
            print(Double.longBitsToDouble(RANDOM.nextLong()));
            print((double) RANDOM.nextLong());
            print(RANDOM.nextInt(100000000) / 100.0);
            print(RANDOM.nextDouble());
            print(Float.intBitsToFloat(RANDOM.nextInt()));
            print((float) RANDOM.nextInt());
            print(RANDOM.nextInt(1000000) / 100.0f);
        }
        for (int e = -1074; e < 1024; e += 13)
            print(Math.pow(2, e));
        for (int e = -149; e < 128; e += 7)
            print((float) Math.pow(2, e));
        for (int e = -8; e < 12; e++)
            print(Math.pow(10, e));
        for (int i = 1; i < 30; i++) {
            print(i * Double.MIN_VALUE);
            print(i * Float.MIN_VALUE);
        }
    }
}
